/* biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what is looked for */

/**
 * Output for reading: without the sequences that colour a terminal, move its cursor or set its
 * title, with what a carriage return or a backspace would have overwritten gone, and without other
 * control characters. Source: ECMA-48, sections 5.4 and 5.6.
 */
export function cleanOutput(text: string): string {
  return text
    .replace(/\r+\n/g, '\n')
    .replace(/(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?/g, '')
    .replace(/(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/g, '')
    .replace(/\u001b[ -/]*[0-~]?/g, '')
    .replace(/[^\n\b]\u0008/g, '')
    .split('\n')
    .map(keepLastWriting)
    .join('\n')
    .replaceAll('\0', '\\0')
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '');
}

/** A progress line is written over and over: what it says at last counts. */
function keepLastWriting(line: string): string {
  return line.split('\r').findLast((part) => part !== '') ?? '';
}

/** Text with its invalid bytes replaced; characters that were cut at an end are left out. */
export function decodeOutput(bytes: Uint8Array): string {
  let start = 0;
  // What continues a character whose beginning is missing.
  while (start < 3 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  // With `stream`, a character that the end cuts is left out.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start), { stream: true });
}

/** Whether text would be of no use to a reader: other bytes than text, or another encoding throughout. */
export function looksBinary(text: string): boolean {
  const replaced = text.match(/\ufffd/g)?.length ?? 0;
  const controls = text.match(/[\u0000-\u0006\u000e-\u001a\u001c-\u001f]/g)?.length ?? 0;
  return controls * 5 > text.length || (text.length > 64 && replaced * 10 > text.length * 3);
}

/** The beginning of a text, up to the end of a line. */
export function cutHead(text: string, mostCharacters: number): string {
  if (text.length <= mostCharacters) return text;
  const cut = text.slice(0, mostCharacters);
  const end = cut.lastIndexOf('\n');
  return end > mostCharacters / 2 ? cut.slice(0, end + 1) : cut.replace(/[\ud800-\udbff]$/, '');
}

/** The end of a text, from the beginning of a line. */
export function cutTail(text: string, mostCharacters: number): string {
  if (text.length <= mostCharacters) return text;
  const cut = text.slice(-mostCharacters);
  const start = cut.indexOf('\n');
  return start !== -1 && start < mostCharacters / 2 ? cut.slice(start + 1) : cut.replace(/^[\udc00-\udfff]/, '');
}
