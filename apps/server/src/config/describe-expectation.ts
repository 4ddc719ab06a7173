import { isRecord, type Locale } from '@fovea/core/base';
import {
  ENVIRONMENT_NAME_PATTERN,
  HEADER_NAME_PATTERN,
  HTTP_URL_PATTERN,
  MODEL_REFERENCE_PATTERN,
  NON_BLANK_PATTERN,
  SINGLE_LINE_PATTERN,
} from './config-schema.ts';
import { configTexts, type ExpectationTexts, type FoundKind } from './texts.ts';

/** A node of the JSON schema, as far as the configuration uses the vocabulary. */
export type SchemaNode = Readonly<Record<string, unknown>>;

/** What a value may be, in words: `"en" or "zh-CN"`, `a whole number from 1 or null`. */
export function describeExpectation(schema: SchemaNode, locale: Locale): string {
  const texts = configTexts(locale).expectations;
  return texts.or(listAlternatives(schema).flatMap((alternative) => describeOne(alternative, texts)));
}

function describeOne(schema: SchemaNode, texts: ExpectationTexts): readonly string[] {
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value));
  if ('const' in schema) return [JSON.stringify(schema['const'])];
  switch (schema['type']) {
    case 'string':
      return [describeText(schema, texts)];
    case 'integer':
      return [texts.wholeNumber(readNumber(schema['minimum']), readNumber(schema['maximum']))];
    case 'number':
      return [texts.number(readNumber(schema['minimum']))];
    case 'boolean':
      return [texts.trueOrFalse];
    case 'array':
      return [schema['minItems'] === undefined ? texts.list : texts.nonEmptyList];
    case 'null':
      return ['null'];
    default:
      return [texts.object];
  }
}

function describeText(schema: SchemaNode, texts: ExpectationTexts): string {
  switch (schema['pattern']) {
    case MODEL_REFERENCE_PATTERN:
      return texts.modelReference;
    case HTTP_URL_PATTERN:
      return texts.webAddress;
    case ENVIRONMENT_NAME_PATTERN:
      return texts.variableName;
    case SINGLE_LINE_PATTERN:
      return texts.singleLine;
    default:
      return schema['minLength'] === undefined ? texts.text : texts.nonEmptyText;
  }
}

/**
 * What stands there instead, or `undefined` where repeating it says nothing. The value itself is
 * shown only where it is true, false or a number or comes from a short list, so that no key is ever printed.
 */
export function describeFound(value: unknown, schema: SchemaNode, locale: Locale): string | undefined {
  const texts = configTexts(locale).found;
  const alternatives = listAlternatives(schema);
  if (typeof value === 'boolean') return String(value);
  const kind = kindOf(value);
  if (typeof value === 'string') return describeFoundText(value, alternatives, texts.string);
  const takesNumbers = alternatives.some((one) => one['type'] === 'integer' || one['type'] === 'number');
  return kind === 'number' && takesNumbers ? String(value) : texts[kind];
}

function describeFoundText(value: string, alternatives: readonly SchemaNode[], kind: string): string | undefined {
  const isShort = alternatives.some(
    (one) => 'enum' in one || 'const' in one || one['pattern'] === MODEL_REFERENCE_PATTERN,
  );
  if (value === '' || isShort) return JSON.stringify(value.slice(0, 60));
  return alternatives.some((one) => one['type'] === 'string') ? undefined : kind;
}

/** The schema of the value at `path`, followed through named keys, patterns and lists. */
export function findSchemaNode(root: unknown, path: readonly (string | number)[]): SchemaNode | undefined {
  let node = isRecord(root) ? root : undefined;
  for (const segment of path) {
    node = node === undefined ? undefined : findChild(node, segment);
  }
  return node;
}

function findChild(node: SchemaNode, segment: string | number): SchemaNode | undefined {
  for (const alternative of listAlternatives(node)) {
    const child =
      typeof segment === 'number'
        ? alternative['items']
        : (readRecord(alternative['properties'])[segment] ?? matchPattern(alternative, segment));
    if (isRecord(child)) return child;
  }
  return undefined;
}

function matchPattern(node: SchemaNode, key: string): unknown {
  const patterns = Object.entries(readRecord(node['patternProperties']));
  return patterns.find(([pattern]) => new RegExp(pattern).test(key))?.[1];
}

/** The keys that an object may have; empty where any name may be chosen. */
export function listKnownKeys(schema: SchemaNode): readonly string[] {
  return listAlternatives(schema).flatMap((alternative) => Object.keys(readRecord(alternative['properties'])));
}

export function takesObject(schema: SchemaNode): boolean {
  return listAlternatives(schema).some((alternative) => alternative['type'] === 'object');
}

/** How a name that the user chooses has to look, in words; `undefined` where all keys are fixed. */
export function describeFreeKeys(schema: SchemaNode, locale: Locale): string | undefined {
  const names = configTexts(locale).names;
  switch (Object.keys(readRecord(schema['patternProperties']))[0]) {
    case undefined:
      return undefined;
    case HEADER_NAME_PATTERN:
      return names.header;
    case NON_BLANK_PATTERN:
      return names.nonBlank;
    default:
      return names.withoutSlash;
  }
}

function listAlternatives(schema: SchemaNode): readonly SchemaNode[] {
  const alternatives = schema['anyOf'];
  return Array.isArray(alternatives) ? alternatives.filter(isRecord) : [schema];
}

function readRecord(value: unknown): SchemaNode {
  return isRecord(value) ? value : {};
}

function readNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function kindOf(value: unknown): FoundKind {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
      return 'number';
    default:
      return 'object';
  }
}
