/**
 * The text of each member of a JSON object, and of each element of a JSON array, exactly as it
 * came: key order, spaces and escapes are part of what a prompt cache compares, and parsing loses
 * them. `text` must be valid JSON.
 */
export function sliceObject(text: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  let position = skipSpace(text, text.indexOf('{') + 1);
  while (position < text.length && text[position] !== '}') {
    const keyEnd = skipString(text, position);
    const key = text.slice(position + 1, keyEnd - 1);
    const start = skipSpace(text, text.indexOf(':', keyEnd) + 1);
    const end = skipValue(text, start);
    members.set(key, text.slice(start, end));
    position = skipSeparator(text, end);
  }
  return members;
}

/** See {@link sliceObject}. */
export function sliceArray(text: string): readonly string[] {
  const elements: string[] = [];
  let position = skipSpace(text, text.indexOf('[') + 1);
  while (position < text.length && text[position] !== ']') {
    const end = skipValue(text, position);
    elements.push(text.slice(position, end));
    position = skipSeparator(text, end);
  }
  return elements;
}

function skipSeparator(text: string, position: number): number {
  const next = skipSpace(text, position);
  return text[next] === ',' ? skipSpace(text, next + 1) : next;
}

function skipValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return skipString(text, start);
  if (first !== '{' && first !== '[') return skipScalar(text, start);
  let depth = 0;
  for (let position = start; position < text.length; ) {
    const character = text[position];
    if (character === '"') {
      position = skipString(text, position);
      continue;
    }
    position += 1;
    if (character === '{' || character === '[') depth += 1;
    if (character === '}' || character === ']') depth -= 1;
    if (depth === 0) return position;
  }
  return text.length;
}

function skipString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}

function skipScalar(text: string, start: number): number {
  let position = start;
  while (position < text.length && !/[\s,\]}]/.test(text[position] ?? '')) position += 1;
  return position;
}

function skipSpace(text: string, start: number): number {
  let position = start;
  while (position < text.length && /\s/.test(text[position] ?? '')) position += 1;
  return position;
}
