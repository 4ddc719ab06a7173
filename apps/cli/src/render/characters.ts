import stringWidth from 'string-width';

const graphemes = new Intl.Segmenter();

/** A segmenter copies its whole text for each segment: a long one would take quadratic time and memory. */
const PIECE_UNITS = 256;

/** What a reader takes for one character, one after the other: emoji and letters with marks are whole. */
export function* charactersOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const isInPair = /[\ud800-\udbff]/.test(text.charAt(start + PIECE_UNITS - 1));
    const piece = text.slice(start, start + PIECE_UNITS - (isInPair ? 1 : 0));
    const isLast = start + piece.length >= text.length;
    const characters = [...graphemes.segment(piece)].map(({ segment }) => segment);
    // The last one may go on in the next piece; one that fills a piece is no character of any language.
    const whole = isLast || characters.length === 1 ? characters : characters.slice(0, -1);
    for (const character of whole) {
      start += character.length;
      yield character;
    }
  }
}

/** The first character of a text; empty for an empty one. */
export function firstCharacter(text: string): string {
  for (const character of charactersOf(text.slice(0, PIECE_UNITS))) return character;
  return '';
}

/** The last character of a text; empty for an empty one. */
export function lastCharacter(text: string): string {
  return [...charactersOf(text.slice(-PIECE_UNITS))].at(-1) ?? '';
}

/** Columns that a character takes in a terminal. */
export function widthOf(character: string): number {
  return character.length === 1 && character >= ' ' && character <= '~' ? 1 : stringWidth(character);
}
