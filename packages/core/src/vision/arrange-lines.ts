/** One recognised word with its box in pixels and the recogniser's confidence from 0 to 100. */
export interface RecognizedWord {
  readonly text: string;
  readonly confidence: number;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Words that the recogniser put on one line, from left to right. */
export type RecognizedLine = readonly RecognizedWord[];

/** Below this, a word is mostly noise (icons, edges, textures), unless the rest of its line is certain. */
const LEAST_CONFIDENCE = 45;
/** A line whose middle word is below this is noise as a whole. */
const LEAST_LINE_CONFIDENCE = 55;
/** A line whose middle word reaches this vouches for its uncertain words. */
const VOUCHING_LINE_CONFIDENCE = 80;
/** Single signs without a letter or digit are noise more often than words are. */
const LEAST_SIGN_CONFIDENCE = 75;
/** In a picture without Chinese, a frame or icon easily looks like a single character. */
const LEAST_STRAY_CONFIDENCE = 85;
/** A letter that stands alone is an icon, unless it is this certain. */
const LEAST_LONE_LETTER_CONFIDENCE = 93;
const FEWEST_HAN_OF_A_LINE = 3;
const WIDEST_GAP = 4;

/**
 * Recognised words as lines of text: noise dropped, pieces of one row joined, Chinese without
 * blanks inside, an empty line where the picture has a wide gap.
 */
export function arrangeLines(lines: readonly RecognizedLine[]): readonly string[] {
  const segments = dropNoise(lines).map(toSegment);
  const rows = groupIntoRows(segments);
  const arranged: string[] = [];
  let previous: Row | undefined;
  for (const row of rows) {
    if (previous !== undefined && row.top - previous.bottom > heightOf(previous) * 1.3) arranged.push('');
    arranged.push(joinSegments(row.segments));
    previous = row;
  }
  return arranged;
}

interface Segment {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface Row {
  segments: Segment[];
  top: number;
  bottom: number;
}

function dropNoise(lines: readonly RecognizedLine[]): readonly RecognizedLine[] {
  const isChinese = isMostlyChinese(lines);
  return lines
    .map((line) => {
      const lineConfidence = medianConfidence(line);
      if (lineConfidence < LEAST_LINE_CONFIDENCE) return [];
      const han = countHan(line.map((word) => word.text).join(''));
      // Several certain characters are no icons: their line is Chinese also in a picture that is not.
      const isChineseLine = isChinese || (han >= FEWEST_HAN_OF_A_LINE && lineConfidence >= LEAST_STRAY_CONFIDENCE);
      return line.filter((word) => isCredible(word, { isChinese: isChineseLine, takesHan: han > 1, lineConfidence }));
    })
    .filter(carriesText);
}

function carriesText(line: RecognizedLine): boolean {
  const signs = line.flatMap((word) => word.text.match(/[\p{L}\p{N}]/gu) ?? []);
  if (signs.length !== 1) return signs.length > 0;
  return /\p{N}/u.test(signs[0] ?? '') || medianConfidence(line) >= LEAST_LONE_LETTER_CONFIDENCE;
}

function isCredible(
  word: RecognizedWord,
  around: { readonly isChinese: boolean; readonly takesHan: boolean; readonly lineConfidence: number },
): boolean {
  if (word.text.trim() === '') return false;
  if (!around.isChinese && countHan(word.text) > 0) return around.takesHan && word.confidence >= LEAST_STRAY_CONFIDENCE;
  if (around.lineConfidence >= VOUCHING_LINE_CONFIDENCE) return true;
  if (!hasLetterOrDigit(word.text)) return word.confidence >= LEAST_SIGN_CONFIDENCE;
  return word.confidence >= LEAST_CONFIDENCE;
}

function medianConfidence(line: RecognizedLine): number {
  const sorted = line.map((word) => word.confidence).sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function isMostlyChinese(lines: readonly RecognizedLine[]): boolean {
  let han = 0;
  let letters = 0;
  for (const word of lines.flat()) {
    if (word.confidence < LEAST_CONFIDENCE) continue;
    han += countHan(word.text);
    letters += word.text.match(/[\p{Script=Latin}\p{N}]/gu)?.length ?? 0;
  }
  // A character of Chinese says as much as several letters.
  return han * 4 > letters;
}

function toSegment(line: RecognizedLine): Segment {
  const heightPx = Math.max(...line.map((word) => word.bottom)) - Math.min(...line.map((word) => word.top));
  let text = '';
  let previous: RecognizedWord | undefined;
  for (const word of line) {
    if (previous !== undefined) text += blanksBetween(previous, word, heightPx);
    text += word.text.trim();
    previous = word;
  }
  return {
    text,
    left: Math.min(...line.map((word) => word.left)),
    top: Math.min(...line.map((word) => word.top)),
    right: Math.max(...line.map((word) => word.right)),
    bottom: Math.max(...line.map((word) => word.bottom)),
  };
}

function blanksBetween(before: RecognizedWord, after: RecognizedWord, heightPx: number): string {
  const gapPx = after.left - before.right;
  const isWide = gapPx > heightPx * 1.8;
  if (isWide) return ' '.repeat(Math.min(WIDEST_GAP, Math.max(2, Math.round(gapPx / heightPx))));
  // Boxes of single characters are often narrower than the characters.
  const wideSigns = [before.text.at(-1), after.text.at(0)].filter((sign) => isWideSign(sign ?? '')).length;
  return gapPx < heightPx * wideSigns * 0.5 ? '' : ' ';
}

function groupIntoRows(segments: readonly Segment[]): readonly Row[] {
  const rows: Row[] = [];
  for (const segment of [...segments].sort((one, other) => middleOf(one) - middleOf(other))) {
    const row = rows.find((candidate) => isSameRow(candidate, segment));
    if (row === undefined) {
      rows.push({ segments: [segment], top: segment.top, bottom: segment.bottom });
    } else {
      row.segments.push(segment);
    }
  }
  for (const row of rows) row.segments.sort((one, other) => one.left - other.left);
  return rows.sort((one, other) => one.top - other.top);
}

/** The first piece of a row decides its height, so that a tall neighbour does not swallow several rows. */
function isSameRow(row: Row, segment: Segment): boolean {
  const overlapPx = Math.min(row.bottom, segment.bottom) - Math.max(row.top, segment.top);
  const smallerPx = Math.min(heightOf(row), heightOf(segment));
  const largerPx = Math.max(heightOf(row), heightOf(segment));
  return overlapPx > smallerPx * 0.6 && largerPx < smallerPx * 2.5;
}

function joinSegments(segments: readonly Segment[]): string {
  let text = '';
  let previous: Segment | undefined;
  for (const segment of segments) {
    if (previous !== undefined) {
      const gapPx = segment.left - previous.right;
      text += ' '.repeat(Math.min(WIDEST_GAP, Math.max(1, Math.round(gapPx / heightOf(segment)))));
    }
    text += segment.text;
    previous = segment;
  }
  return text;
}

function heightOf(box: { readonly top: number; readonly bottom: number }): number {
  return Math.max(1, box.bottom - box.top);
}

function middleOf(box: { readonly top: number; readonly bottom: number }): number {
  return (box.top + box.bottom) / 2;
}

function hasLetterOrDigit(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

function countHan(text: string): number {
  return text.match(/\p{Script=Han}/gu)?.length ?? 0;
}

/** Chinese characters and the punctuation of Chinese, which carries its own space. */
function isWideSign(sign: string): boolean {
  return /[\p{Script=Han}\u3000-\u303f\uff00-\uffef]/u.test(sign);
}
