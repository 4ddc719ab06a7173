/** The two ends of an output of any length. */
export interface OutputEnds {
  readonly totalBytes: number;
  /** The whole output where nothing is left out. */
  readonly head: Uint8Array;
  /** Empty where nothing is left out. */
  readonly tail: Uint8Array;
}

/** Keeps the beginning and the end of what is added, and forgets the rest. */
export interface OutputCollector {
  add(bytes: Uint8Array): void;
  ends(): OutputEnds;
}

/** At least `endBytes` of the beginning and as many of the end are kept. */
export function collectOutput(endBytes: number): OutputCollector {
  const head: Uint8Array[] = [];
  let headBytes = 0;
  let tail: Uint8Array[] = [];
  let tailBytes = 0;
  let totalBytes = 0;
  return {
    add: (bytes) => {
      totalBytes += bytes.length;
      const first = bytes.subarray(0, endBytes - headBytes);
      if (first.length > 0) head.push(first);
      headBytes += first.length;
      const rest = bytes.subarray(first.length);
      if (rest.length === 0) return;
      tail.push(rest);
      tailBytes += rest.length;
      // Now and then, not with every piece.
      if (tailBytes < 4 * endBytes) return;
      const kept = Buffer.from(Buffer.concat(tail).subarray(-endBytes));
      tail = [kept];
      tailBytes = kept.length;
    },
    ends: () => {
      const end = Buffer.concat(tail);
      if (headBytes + end.length === totalBytes && end.length <= endBytes) {
        return { totalBytes, head: Buffer.concat([...head, end]), tail: new Uint8Array() };
      }
      return { totalBytes, head: Buffer.concat(head), tail: end.subarray(-endBytes) };
    },
  };
}
