/**
 * A name or path within a sentence of ours: it cannot end its line, because what follows would read
 * as words of ours, or as an instruction.
 */
export function singleLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
