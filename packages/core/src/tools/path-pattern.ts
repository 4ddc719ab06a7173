import { fail, ok, type Result } from '../base/result.ts';

/** Whether a path, given by its parts, matches. */
export type PathPattern = (parts: readonly string[]) => boolean;

/** More than any sensible pattern has; `{a,b}` written many times over grows without bound. */
const MOST_ALTERNATIVES = 200;
const LONGEST_PATTERN = 1000;

/** `{a,b}` that stands for too many patterns, or a text that is far too long for one. */
export type GlobFault = 'too-long' | 'too-many-alternatives';

/**
 * A glob: `*` and `?` within a name, `**` for any folders, `[a-z]`, `{a,b}`, `\` before a sign that
 * means itself. Without a slash it is held against the name alone, wherever the file lies. A part
 * of the path also matches a part that is written just so: `app/[id]/page.tsx` means itself too.
 *
 * Matching takes time in proportion to pattern and path, whatever they hold: no regular expression
 * is made of them, because one of many stars can keep a program busy for years.
 */
export function compileGlob(glob: string): Result<PathPattern, GlobFault> {
  if (glob.length > LONGEST_PATTERN) return fail('too-long');
  const alternatives = expandBraces(glob);
  if (alternatives === undefined) return fail('too-many-alternatives');
  const patterns = alternatives.map((text) => compileAlternative(text));
  return ok((parts) => patterns.some((matches) => matches(parts)));
}

function compileAlternative(text: string): PathPattern {
  const path = text.replace(/^(?:\.?\/)+/, '');
  const whole = path.endsWith('/') ? `${path}**` : path;
  if (whole.includes('/')) return compilePathPattern(whole, { isLiteralToo: true });
  const segment = compileSegment(whole, true);
  return (parts) => matchesSegment(segment, parts.at(-1) ?? '');
}

/**
 * A pattern of several parts, without `{a,b}`: the whole path has to match. Behind a last `**`
 * there has to be something. A slash at the beginning changes nothing; an empty part matches none.
 */
export function compilePathPattern(pattern: string, { isLiteralToo = false } = {}): PathPattern {
  const texts = pattern.replace(/^\//, '').split('/');
  if (/^\*\*+$/.test(texts.at(-1) ?? '')) texts.push('*');
  const segments = texts.map((text) => (/^\*\*+$/.test(text) ? ANY_FOLDERS : compileSegment(text, isLiteralToo)));
  return (parts) => matchesInOrder(segments, parts, { isMany: isAnyFolders, matchesOne: matchesSegment });
}

/** A pattern for one name. */
export function compileNamePattern(pattern: string): (name: string) => boolean {
  const segment = compileSegment(pattern, false);
  return (name) => matchesSegment(segment, name);
}

const ANY_FOLDERS = 'any-folders';
type Segment = typeof ANY_FOLDERS | NameSegment;

interface NameSegment {
  readonly signs: readonly Sign[];
  /** Absent where only the meaning of the signs counts. */
  readonly literal?: string;
}

const ANY_SIGNS = 'any-signs';
/** What one character of a name is held against. */
type Sign = typeof ANY_SIGNS | ((character: string) => boolean);

function isAnyFolders(segment: Segment): boolean {
  return segment === ANY_FOLDERS;
}

function matchesSegment(segment: Segment, name: string): boolean {
  if (segment === ANY_FOLDERS || segment.literal === name) return true;
  return matchesInOrder(segment.signs, [...name], {
    isMany: (sign) => sign === ANY_SIGNS,
    matchesOne: (sign, character) => sign !== ANY_SIGNS && sign(character),
  });
}

/**
 * Items against a pattern whose `isMany` elements stand for any number of them. Only the last such
 * element is ever tried again: what an earlier one took can only make the rest harder.
 */
function matchesInOrder<Element, Item>(
  elements: readonly Element[],
  items: readonly Item[],
  rules: {
    readonly isMany: (element: Element) => boolean;
    readonly matchesOne: (element: Element, item: Item) => boolean;
  },
): boolean {
  let at = 0;
  let next = 0;
  let retry: { readonly element: number; readonly item: number } | undefined;
  while (at < items.length) {
    const element = elements[next];
    const item = items[at];
    if (element !== undefined && rules.isMany(element)) {
      next += 1;
      retry = { element: next, item: at };
    } else if (element !== undefined && item !== undefined && rules.matchesOne(element, item)) {
      next += 1;
      at += 1;
    } else if (retry !== undefined) {
      retry = { element: retry.element, item: retry.item + 1 };
      next = retry.element;
      at = retry.item;
    } else return false;
  }
  return elements.slice(next).every(rules.isMany);
}

function compileSegment(text: string, isLiteralToo: boolean): NameSegment {
  const characters = [...text];
  const signs: Sign[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? '';
    if (character === '*') {
      if (signs.at(-1) !== ANY_SIGNS) signs.push(ANY_SIGNS);
    } else if (character === '?') signs.push(() => true);
    else if (character === '[') {
      const found = readClass(characters, at);
      // Git takes a class without an end for a pattern that matches nothing.
      signs.push(found?.sign ?? (() => false));
      at = found?.end ?? characters.length;
    } else {
      at += character === '\\' ? 1 : 0;
      // A backslash at the end stands for nothing, and so matches nothing.
      signs.push(isSign(characters[at]));
    }
  }
  return { signs, ...(isLiteralToo && { literal: text }) };
}

function isSign(expected: string | undefined): (character: string) => boolean {
  return (character) => character === expected;
}

/** `[a-z]`, `[!a]`, `[]a]`, `[[:digit:]]` that begins at `start`; `end` is its last character. */
function readClass(
  characters: readonly string[],
  start: number,
): { readonly sign: (character: string) => boolean; readonly end: number } | undefined {
  const isNegated = characters[start + 1] === '!' || characters[start + 1] === '^';
  const members: ((character: string) => boolean)[] = [];
  const first = start + (isNegated ? 2 : 1);
  let at = first;
  for (; characters[at] !== ']' || at === first; at += 1) {
    if (at >= characters.length) return undefined;
    const named = readNamedClass(characters, at);
    if (named !== undefined) {
      members.push(named.sign);
      at = named.end;
      continue;
    }
    if (characters[at] === '\\') at += 1;
    const from = characters[at];
    if (from === undefined) return undefined;
    if (characters[at + 1] !== '-' || characters[at + 2] === ']' || characters[at + 2] === undefined) {
      members.push(isSign(from));
      continue;
    }
    at += characters[at + 2] === '\\' ? 3 : 2;
    members.push(isWithinRange(from, characters[at] ?? from));
  }
  return { sign: (character) => members.some((matches) => matches(character)) !== isNegated, end: at };
}

function isWithinRange(from: string, to: string): (character: string) => boolean {
  const [first, last] = [from.codePointAt(0) ?? 0, to.codePointAt(0) ?? 0];
  return (character) => {
    const code = character.codePointAt(0) ?? 0;
    return first <= code && code <= last;
  };
}

const namedClasses: Readonly<Record<string, RegExp>> = {
  alnum: /[a-z0-9]/i,
  alpha: /[a-z]/i,
  blank: /[ \t]/,
  digit: /[0-9]/,
  lower: /[a-z]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /[A-Z]/,
  xdigit: /[0-9a-f]/i,
};

function readNamedClass(
  characters: readonly string[],
  start: number,
): { readonly sign: (character: string) => boolean; readonly end: number } | undefined {
  if (characters[start] !== '[' || characters[start + 1] !== ':') return undefined;
  const end = characters.indexOf(']', start);
  if (characters[end - 1] !== ':') return undefined;
  const expression = namedClasses[characters.slice(start + 2, end - 1).join('')];
  return expression === undefined ? undefined : { sign: (character) => expression.test(character), end };
}

/** Every pattern that `{a,b}` and its like stand for; undefined where they are too many. */
function expandBraces(glob: string): readonly string[] | undefined {
  const waiting = [glob];
  const done: string[] = [];
  for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
    if (done.length + waiting.length >= MOST_ALTERNATIVES) return undefined;
    const braces = findBraces(text);
    if (braces === undefined) done.push(text);
    else {
      const { before, options, after } = braces;
      waiting.push(...options.map((option) => `${before}${option}${after}`));
    }
  }
  return done;
}

interface Braces {
  readonly before: string;
  readonly options: readonly string[];
  readonly after: string;
}

/** The first `{a,b}` of a glob, its inner ones untouched. Braces without a comma mean themselves. */
function findBraces(glob: string): Braces | undefined {
  for (let start = glob.indexOf('{'); start !== -1; start = glob.indexOf('{', start + 1)) {
    if (glob[start - 1] === '\\') continue;
    const options = readOptions(glob, start);
    if (options !== undefined && options.texts.length > 1) {
      return { before: glob.slice(0, start), options: options.texts, after: glob.slice(options.end + 1) };
    }
  }
  return undefined;
}

function readOptions(
  glob: string,
  start: number,
): { readonly texts: readonly string[]; readonly end: number } | undefined {
  const texts: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start; at < glob.length; at += 1) {
    const character = glob[at];
    if (character === '\\') at += 1;
    else if (character === '{') depth += 1;
    else if (character === ',' && depth === 1) {
      texts.push(glob.slice(from, at));
      from = at + 1;
    } else if (character === '}') {
      depth -= 1;
      if (depth === 0) return { texts: [...texts, glob.slice(from, at)], end: at };
    }
  }
  return undefined;
}
