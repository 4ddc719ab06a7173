import { findNameBeginnings, isPathStart } from './leading-words.ts';

/** One picture that a text names. */
export interface NamedPicture {
  /** What could be its path, in the order in which to try; at most three. */
  readonly candidates: readonly string[];
  /** Words stand before it without quotes: its name may begin with more of them than were taken. */
  readonly mayBeLonger: boolean;
}

/** Names that promise a picture. The formats that are not taken are here too: their refusal says the way out. */
const EXTENSION = /\.(?:png|jpe?g|gif|webp|bmp|tiff?|heic|heif|avif|svg|jxl|jp2|ico)/iu;
const PATH_END = new RegExp(`${EXTENSION.source}(?![\\p{Script=Latin}\\p{N}_-]|\\.[\\p{Script=Latin}\\p{N}])`, 'iu');
const WHOLE_PATH = new RegExp(`${EXTENSION.source}$`, 'iu');

const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”',
  '‘': '’',
  '「': '」',
  '『': '』',
  '《': '》',
};

/** What ends a path that stands in a sentence without quotes. A backslash before a blank keeps it in. */
const SEPARATOR = /[\s"'`“”‘’「」『』《》<>()[\]{}|,;,。;:!?、()【】…]/u;
const LEADING_CHINESE = /^[\p{Script=Han}]+(?=[\p{Script=Latin}\p{N}_./~\\])/u;
const LEADING_REQUEST =
  /^(?:请|麻烦|帮我|给我)*(?:看一下|看一看|看看|查看|读一下|读取|打开|分析|识别|描述|看|读)+(?:一下)?(?:图片|文件|截图的|这张|图)?/u;
const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/[^\s,。;、)】》”]+|data:\S+/giu;
/** What a browser or system appends to a name that exists: `shot (1).png`. */
const COPY_NUMBER = new RegExp(`^ ?\\(\\d{1,4}\\)(?=${EXTENSION.source})`, 'iu');
const MOST_PICTURES = 20;
const MOST_CANDIDATES = 3;

/**
 * The pictures that a text names: paths in quotes (with blanks), bare paths between blanks and
 * punctuation of both languages, `@path`. URLs are none.
 *
 * A bare name may have blanks (`a b photo.jpg`), and Chinese has none between a word and a path
 * (`看一下shot.png`), so that some names have several readings: all are candidates, the longer first.
 */
export function findPicturePaths(text: string): readonly NamedPicture[] {
  const found: NamedPicture[] = [];
  let rest = text.replace(ADDRESS, ' ');
  // The words of this clause that stand before the rest.
  let clause = '';
  while (rest !== '' && found.length < MOST_PICTURES) {
    const quoted = takeQuoted(rest);
    if (quoted !== undefined) {
      found.push({ candidates: [quoted.path], mayBeLonger: false });
      rest = rest.slice(quoted.length);
      clause = '';
      continue;
    }
    const length = tokenLength(rest);
    if (length === 0) {
      clause = continueClause(clause, rest.charAt(0));
      rest = rest.slice(1);
      continue;
    }
    const token = rest.slice(0, length);
    const picture = toNamedPicture(token, clause);
    if (picture !== undefined) found.push(picture);
    clause = picture === undefined ? clause + token : '';
    rest = rest.slice(length);
  }
  return found.filter(
    (picture, index) => found.findIndex((other) => other.candidates[0] === picture.candidates[0]) === index,
  );
}

/** Blanks and apostrophes go on with a clause. */
function continueClause(clause: string, separator: string): string {
  return /[ \t'’]/.test(separator) ? clause + separator : '';
}

/** A quoted path at the beginning of `text`, and how much of the text it takes. */
function takeQuoted(text: string): { readonly path: string; readonly length: number } | undefined {
  const closing = QUOTES[text.charAt(0)];
  if (closing === undefined) return undefined;
  const end = text.indexOf(closing, 1);
  if (end < 0) return undefined;
  const path = text.slice(1, end).trim();
  // What stands between two quoted paths, or after an apostrophe, begins with a blank: no path does.
  if (!WHOLE_PATH.test(path) || /[\r\n]/.test(path) || /\s/.test(text.charAt(1))) return undefined;
  return { path: path.replace(/^@/, ''), length: end + 1 };
}

function tokenLength(text: string): number {
  let length = 0;
  while (length < text.length) {
    const sign = text.charAt(length);
    const isEscapedBlank = sign === '\\' && text.charAt(length + 1) === ' ';
    if (isEscapedBlank) {
      length += 2;
      continue;
    }
    const copyNumber = length === 0 ? null : COPY_NUMBER.exec(text.slice(length, length + 16));
    if (copyNumber !== null) {
      length += copyNumber[0].length;
      continue;
    }
    if (SEPARATOR.test(sign)) return length;
    length += 1;
  }
  return length;
}

function toNamedPicture(token: string, clause: string): NamedPicture | undefined {
  const end = PATH_END.exec(token);
  if (end === null) return undefined;
  const path = token
    .slice(0, end.index + end[0].length)
    .replaceAll('\\ ', ' ')
    .replace(/^@/, '');
  if (path.replace(EXTENSION, '') === '') return undefined;
  const mayBeLonger = /[ \t]$/.test(clause) && !isPathStart(token);
  const longer = mayBeLonger ? findNameBeginnings(clause, path).map((beginning) => beginning + path) : [];
  const shorter = [path.replace(LEADING_REQUEST, ''), path.replace(LEADING_CHINESE, '')];
  const bare = [...new Set([path, ...shorter])].filter((candidate) => hasStem(candidate)).slice(0, MOST_CANDIDATES);
  return { candidates: [...longer.slice(0, MOST_CANDIDATES - bare.length), ...bare], mayBeLonger };
}

/** Whether a file name promises a picture. */
export function isPicturePath(name: string): boolean {
  return WHOLE_PATH.test(name) && hasStem(name);
}

function hasStem(path: string): boolean {
  return /[^/\\.]/.test(path.replace(WHOLE_PATH, ''));
}
