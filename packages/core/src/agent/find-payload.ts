/** Characters that are judged together: enough to tell how they are spread. */
const WINDOW = 1000;
const STEP = 500;

/**
 * Bits a character from which on no text is written. Base64 of compressed data has 5.9, of a text or
 * a drawing in words at least 5.3; names that are joined have at most 4.9, and digits in sixteens 4.
 */
const LEAST_ENTROPY = 5.1;
/** In base64 of anything capitals, small letters and digits each have a tenth or more. */
const LEAST_SHARE = 0.05;

/**
 * How pictures begin in base64, in both alphabets: PNG, JPEG, GIF, WebP, BMP (with the zeros that
 * its header has), TIFF, HEIC and AVIF, JPEG XL, JPEG 2000, SVG. A white picture is nearly all one
 * letter: only its beginning tells.
 */
const BEGINNING =
  /iVBORw0KGgo|[/_]9j[/_][2-7w/_]|R0lGOD|UklGR|Qk[0-3][\w+/-]{5}AAAAA[A-P][\w+/-]{2}AA[A-D]|SUkqA|TU0AKg|AAAA[\w+/-]{2}Z0eX[A-D]|AAAADEpYTCA|AAAADGpQICA|PHN2Zy/;

/** An icon begins like other files; it is one only where the whole begins so. */
const ICON = /^AAABAA/;

/**
 * Where image data begins in a long run of base64's characters, or `undefined` where the run is a
 * text: an identifier, digests, a line that a program drew. Judged by a picture's beginning, and by
 * how the characters are spread, which also tells a piece of a picture without its beginning.
 */
export function findPayload(run: string): number | undefined {
  const beginning = ICON.test(run) ? 0 : run.search(BEGINNING);
  // What stands before a picture is text, unless it is data itself.
  if (beginning !== -1 && !isSpreadAnywhere(run.slice(0, beginning))) return beginning;
  return isSpreadAnywhere(run) ? 0 : undefined;
}

/** Whether a picture in base64 begins with this line. */
export function beginsPicture(line: string): boolean {
  return ICON.test(line) || line.search(BEGINNING) === 0;
}

function isSpreadAnywhere(run: string): boolean {
  const last = Math.max(0, run.length - WINDOW);
  for (let start = 0; start < last; start += STEP) if (isSpread(run.slice(start, start + WINDOW))) return true;
  return isSpread(run.slice(last));
}

function isSpread(text: string): boolean {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  const shares = { capitals: 0, letters: 0, digits: 0 };
  let entropy = 0;
  for (const [character, count] of counts) {
    const share = count / text.length;
    entropy -= share * Math.log2(share);
    if (character >= 'A' && character <= 'Z') shares.capitals += share;
    else if (character >= 'a' && character <= 'z') shares.letters += share;
    else if (character >= '0' && character <= '9') shares.digits += share;
  }
  return entropy >= LEAST_ENTROPY && Math.min(shares.capitals, shares.letters, shares.digits) >= LEAST_SHARE;
}
