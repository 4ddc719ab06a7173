import type { Endpoint } from './provider.ts';

const SECRET_NAMES = /authorization|cookie|key|passw|secret|signature|token/i;
const MIN_KEY_CHARACTERS = 12;

/** Everything that was sent to an endpoint and that no error may repeat: its key and its headers. */
export function secretsOf(endpoint: Endpoint): readonly string[] {
  const key = endpoint.apiKey?.reveal();
  return [...(key === undefined ? [] : [key]), ...Object.values(endpoint.headers), ...secretParameters(endpoint)];
}

/**
 * What of it is a key beyond doubt: long enough not to be a word (`ollama`) that an answer may hold,
 * without the scheme before it (`Bearer`).
 */
export function keysOf(endpoint: Endpoint): readonly string[] {
  const headers = Object.entries(endpoint.headers).filter(([name]) => SECRET_NAMES.test(name));
  const values = [endpoint.apiKey?.reveal() ?? '', ...headers.map(([, value]) => value), ...secretParameters(endpoint)];
  return [...new Set(values.flatMap(tokensOf))];
}

/** The unbroken parts of a value that are long enough to be keys. */
export function tokensOf(value: string): readonly string[] {
  return value.split(/\s+/).filter((token) => token.length >= MIN_KEY_CHARACTERS);
}

function secretParameters({ baseUrl }: Endpoint): readonly string[] {
  if (!URL.canParse(baseUrl)) return [];
  return [...new URL(baseUrl).searchParams].filter(([name]) => SECRET_NAMES.test(name)).map(([, value]) => value);
}

/** Other clothes of a token: its base64 (wherever it stands inside what was encoded), hexadecimal, as part of a URL. */
export function encodedForms(token: string): readonly string[] {
  const bytes = Buffer.from(token);
  const base64 = [0, 1, 2].map((offset) => base64Core(bytes, offset));
  const forms = [...base64, ...base64.map(toUrlAlphabet), bytes.toString('hex'), encodeURIComponent(token)];
  return [...new Set(forms)].filter((form) => form !== token && form.length >= MIN_KEY_CHARACTERS);
}

/** The characters that depend on `bytes` alone when `offset` other bytes stand before them. */
function base64Core(bytes: Uint8Array, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

function toUrlAlphabet(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_');
}
