/** What the lines of one file are held against. Plain data: it goes to another thread. */
export interface LineQuery {
  readonly source: string;
  readonly flags: string;
  /** Lines shown before and behind a hit. */
  readonly contextLines: number;
  /** Hits of one file that are looked for. */
  readonly mostHits: number;
  /** Characters of a line that are shown; a longer one is cut around its hit. */
  readonly longestLine: number;
}

export interface ShownLine {
  /** From 1, as `read_file` counts. */
  readonly number: number;
  readonly text: string;
  readonly isHit: boolean;
}

/** What one file gave: lines in order, gaps where nothing is shown. */
export type FileMatches =
  | { readonly kind: 'text'; readonly hits: number; readonly lines: readonly ShownLine[] }
  /** Holds NUL, or is no UTF-8. */
  | { readonly kind: 'binary' };

/**
 * Makes the function that searches one file's bytes. It uses nothing from outside of itself: its
 * text is what another thread runs (`line-matcher.ts`), which can be ended when an expression never
 * comes to an end.
 */
export function createLineSearch(query: LineQuery): (bytes: Uint8Array) => FileMatches {
  const expression = new RegExp(query.source, query.flags);
  const startsInside = (text: string, at: number): boolean => /[\udc00-\udfff]/.test(text.charAt(at));
  const cutAround = (text: string, at: number): string => {
    if (text.length <= query.longestLine) return text;
    let start = Math.max(0, Math.min(at - Math.floor(query.longestLine / 3), text.length - query.longestLine));
    let end = start + query.longestLine;
    // A character outside the basic plane is two units: half of one would be no text.
    if (startsInside(text, start)) start += 1;
    if (startsInside(text, end)) end -= 1;
    return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
  };
  const decode = (bytes: Uint8Array): string | undefined => {
    if (bytes.includes(0)) return undefined;
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      return undefined;
    }
  };
  const showNear = (lines: readonly string[], hit: { readonly line: number; readonly at: number }): ShownLine[] => {
    const first = Math.max(0, hit.line - query.contextLines);
    return lines.slice(first, hit.line + query.contextLines + 1).map((line, offset) => {
      const isHit = first + offset === hit.line;
      return { number: first + offset + 1, text: cutAround(line, isHit ? hit.at : 0), isHit };
    });
  };
  return (bytes) => {
    const text = decode(bytes);
    if (text === undefined) return { kind: 'binary' };
    // A line break at the end begins no further line.
    const lines = text.replace(/(?:\r\n|\n|\r)$/, '').split(/\r\n|\n|\r/);
    const shown = new Map<number, ShownLine>();
    let hits = 0;
    for (let index = 0; index < lines.length && hits < query.mostHits; index += 1) {
      const found = expression.exec(lines[index] ?? '');
      if (found === null) continue;
      hits += 1;
      for (const line of showNear(lines, { line: index, at: found.index })) {
        if (line.isHit || !shown.has(line.number)) shown.set(line.number, line);
      }
    }
    return { kind: 'text', hits, lines: [...shown.values()].sort((one, other) => one.number - other.number) };
  };
}
