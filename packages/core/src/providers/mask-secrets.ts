import { encodedForms, tokensOf } from './endpoint-secrets.ts';

/** A shorter one may be a word that happens to be a header's value. */
const MIN_SECRET_CHARACTERS = 6;
/** So much of a key is a part of it and no accident. */
const PART_CHARACTERS = 12;

/**
 * Words without the secrets, as far as they can be recognised: whole, in parts of at least twelve
 * characters, in another case, with invisible characters between, and encoded as base64, hexadecimal
 * or for a URL. What is joined to such a part goes with it.
 */
export function maskSecrets(words: string, secrets: readonly string[]): string {
  const parts = new Set(secrets.flatMap(partsOf));
  if (parts.size === 0) return words;
  const visible = visibleCharacters(words);
  const isSecret = findParts(visible.map(({ character }) => character.toLowerCase()).join(''), parts);
  if (!isSecret.includes(true)) return words;
  extendRuns(isSecret, visible);
  let masked = '';
  let nextIndex = 0;
  visible.forEach(({ character, index }, place) => {
    if (isSecret[place] !== true) masked += words.slice(nextIndex, index + character.length);
    else if (isSecret[place - 1] !== true) masked += `${words.slice(nextIndex, index)}[secret]`;
    nextIndex = index + character.length;
  });
  return masked + words.slice(nextIndex);
}

/** In lower case: what of a secret is searched for. */
function partsOf(secret: string): readonly string[] {
  const whole = secret.length >= MIN_SECRET_CHARACTERS ? [secret] : [];
  const tokens = tokensOf(secret);
  const long = [...tokens, ...tokens.flatMap(encodedForms)].flatMap((form) =>
    Array.from({ length: form.length - PART_CHARACTERS + 1 }, (_, start) => form.slice(start, start + PART_CHARACTERS)),
  );
  return [...whole, ...long].map((part) => part.toLowerCase());
}

interface VisibleCharacter {
  /** One UTF-16 unit. */
  readonly character: string;
  readonly index: number;
}

/** Without those that show nothing: zero-width ones, soft hyphens, marks of direction. */
function visibleCharacters(words: string): readonly VisibleCharacter[] {
  return Array.from({ length: words.length }, (_, index) => ({ character: words.charAt(index), index })).filter(
    ({ character }) => !/\p{Cf}/u.test(character),
  );
}

function findParts(text: string, parts: ReadonlySet<string>): boolean[] {
  const isSecret = Array<boolean>(text.length).fill(false);
  const lengths = new Set([...parts].map((part) => part.length));
  for (const length of lengths) {
    for (let start = 0; start + length <= text.length; start += 1) {
      if (parts.has(text.slice(start, start + length))) isSecret.fill(true, start, start + length);
    }
  }
  return isSecret;
}

/** To both sides, over what a key or its base64 is made of. */
function extendRuns(isSecret: boolean[], visible: readonly VisibleCharacter[]): void {
  const isKeyLike = (place: number): boolean => /[\w+/=-]/.test(visible[place]?.character ?? '');
  for (let place = 1; place < isSecret.length; place += 1) {
    if (isSecret[place - 1] === true && isKeyLike(place)) isSecret[place] = true;
  }
  for (let place = isSecret.length - 2; place >= 0; place -= 1) {
    if (isSecret[place + 1] === true && isKeyLike(place)) isSecret[place] = true;
  }
}
