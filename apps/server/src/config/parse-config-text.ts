import { fail, isRecord, type Locale, ok, type Result } from '@fovea/core/base';
import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser';
import { Compile } from 'typebox/compile';
import { Settings } from 'typebox/system';
import { findClosestName } from '../closest-name.ts';
import { checkConfigMeaning } from './check-config-meaning.ts';
import { type ConfigProblem, findPosition, formatKeyPath, type KeyPath } from './config-problem.ts';
import { ConfigFile, HTTP_URL_PATTERN } from './config-schema.ts';
import {
  describeExpectation,
  describeFound,
  describeFreeKeys,
  findSchemaNode,
  listKnownKeys,
  type SchemaNode,
  takesObject,
} from './describe-expectation.ts';
import { findDepthProblem, findSyntaxProblem } from './find-syntax-problem.ts';
import { configTexts } from './texts.ts';

const validator = Compile(ConfigFile);

/**
 * Reads the text of a configuration file: JSON with comments and trailing commas. Every fault is
 * listed (at most 100), in the order of the file; of a broken syntax only the first one, because the others
 * follow from it. Nothing but comments counts as `{}`.
 */
export function parseConfigText(text: string, locale: Locale): Result<ConfigFile, readonly ConfigProblem[]> {
  const depthProblem = findDepthProblem(text, locale);
  if (depthProblem !== undefined) return fail([depthProblem]);
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const syntaxProblem = findSyntaxProblem(text, { errors, tree }, locale);
  if (syntaxProblem !== undefined) return fail([syntaxProblem]);
  if (tree === undefined) return ok({});

  const reporter = createReporter({ text, tree, locale: findLocale(tree) ?? locale });
  reportRepeatedKeys(tree, [], reporter);
  const value: unknown = getNodeValue(tree);
  if (validator.Check(value)) {
    checkConfigMeaning(value, { locale: reporter.locale, report: reporter.report });
    if (reporter.problems.length === 0) {
      return ok(value);
    }
  } else {
    reportSchemaErrors(value, reporter);
  }
  return fail([...reporter.problems].sort((a, b) => a.line - b.line || a.column - b.column));
}

/** Nobody reads more, and each one is looked up in the whole tree. */
const MOST_PROBLEMS = 100;

interface Reporter {
  readonly locale: Locale;
  readonly problems: readonly ConfigProblem[];
  report(path: KeyPath, message: string, at?: 'key' | 'value'): void;
}

function createReporter(input: { readonly text: string; readonly tree: Node; readonly locale: Locale }): Reporter {
  const problems: ConfigProblem[] = [];
  const seen = new Set<string>();
  return {
    locale: input.locale,
    problems,
    report(path, message, at = 'value') {
      const key = formatKeyPath(path);
      if (seen.has(key) || seen.size === MOST_PROBLEMS) return;
      seen.add(key);
      const node = findNode(input.tree, path);
      const keyNode = at === 'key' ? node.parent?.children?.[0] : undefined;
      problems.push({ ...findPosition(input.text, (keyNode ?? node).offset), key, message });
    },
  };
}

/** The node of the value at `path`, or the nearest one around it. */
function findNode(tree: Node, path: KeyPath): Node {
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node !== undefined) return node;
  }
  return tree;
}

/** JSON lets the last of two equal keys win, which silently drops the first. */
function reportRepeatedKeys(node: Node, path: KeyPath, reporter: Reporter): void {
  const texts = configTexts(reporter.locale);
  const seen = new Set<string>();
  for (const [index, child] of (node.children ?? []).entries()) {
    const key: unknown = child.type === 'property' ? child.children?.[0]?.value : undefined;
    const value = child.type === 'property' ? child.children?.[1] : child;
    const segment = typeof key === 'string' ? key : index;
    if (typeof key === 'string') {
      if (seen.has(key)) reporter.report([...path, key], texts.duplicateKey, 'key');
      // Assigned to an object it would change the prototype instead of adding a key.
      if (key === '__proto__') reporter.report([...path, key], texts.badName(texts.names.reserved), 'key');
      seen.add(key);
    }
    if (value !== undefined) reportRepeatedKeys(value, [...path, segment], reporter);
  }
}

/** The library stops at 8 errors, which may be fewer faults than that, or none that can be told. */
function listSchemaErrors(value: unknown): ReturnType<typeof validator.Errors> {
  const { maxErrors } = Settings.Get();
  Settings.Set({ maxErrors: 20 * MOST_PROBLEMS });
  try {
    return validator.Errors(value);
  } finally {
    Settings.Set({ maxErrors });
  }
}

function reportSchemaErrors(value: unknown, reporter: Reporter): void {
  for (const error of listSchemaErrors(value)) {
    const path = parsePointer(error.instancePath, value);
    const schema = findSchemaNode(ConfigFile, path);
    if (error.keyword === 'boolean') {
      // A key that may not stand there: one such error for each, before the one that lists them all.
      const owner = findSchemaNode(ConfigFile, path.slice(0, -1));
      const key = path.at(-1);
      if (owner !== undefined && typeof key === 'string') {
        reportUnknownKey(path.slice(0, -1), key, { schema: owner, reporter });
      }
      continue;
    }
    if (schema === undefined) continue;
    switch (error.keyword) {
      case 'additionalProperties':
        for (const key of error.params.additionalProperties) reportUnknownKey(path, key, { schema, reporter });
        break;
      case 'required':
        reporter.report(path, configTexts(reporter.locale).missingKey(error.params.requiredProperties), 'key');
        break;
      default:
        reportBadValue(path, value, { schema, reporter });
    }
  }
}

interface SchemaContext {
  readonly schema: SchemaNode;
  readonly reporter: Reporter;
}

function reportUnknownKey(path: KeyPath, key: string, { schema, reporter }: SchemaContext): void {
  const texts = configTexts(reporter.locale);
  const freeKeys = describeFreeKeys(schema, reporter.locale);
  const known = listKnownKeys(schema);
  const message =
    freeKeys === undefined ? texts.unknownKey(findClosestName(key, known), known) : texts.badName(freeKeys);
  reporter.report([...path, key], message, 'key');
}

function reportBadValue(path: KeyPath, value: unknown, { schema, reporter }: SchemaContext): void {
  const actual = readValue(value, path);
  // Of "an object or null" an object fails both; what is wrong inside it is reported by its keys.
  if (isRecord(actual) && takesObject(schema)) return;
  const texts = configTexts(reporter.locale);
  if (schema['pattern'] === HTTP_URL_PATTERN && typeof actual === 'string' && /^https?:\/\/.*\s/s.test(actual)) {
    reporter.report(path, texts.blankInUrl);
    return;
  }
  const found = describeFound(actual, schema, reporter.locale);
  reporter.report(path, texts.badValue(describeExpectation(schema, reporter.locale), found));
}

/** A JSON pointer as a key path; a number is a position only where the parent is a list. */
function parsePointer(pointer: string, root: unknown): KeyPath {
  const path: (string | number)[] = [];
  let value = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const segment = Array.isArray(value) ? Number(key) : key;
    path.push(segment);
    value = readValue(value, [segment]);
  }
  return path;
}

function readValue(root: unknown, path: KeyPath): unknown {
  let value = root;
  for (const segment of path) {
    if (Array.isArray(value)) value = value[Number(segment)];
    else value = isRecord(value) ? value[segment] : undefined;
  }
  return value;
}

function findLocale(tree: Node): Locale | undefined {
  const value: unknown = findNodeAtLocation(tree, ['locale'])?.value;
  return value === 'en' || value === 'zh-CN' ? value : undefined;
}
