import { isRecord } from '@fovea/core/base';
import { formatKeyPath, type KeyPath } from './config-problem.ts';
import { ConfigFile, NOT_USED_YET } from './config-schema.ts';
import { findSchemaNode } from './describe-expectation.ts';

/** The keys of a checked file that have no effect in this build, outermost ones only, in the order of the file. */
export function listUnusedKeys(file: ConfigFile): readonly string[] {
  return collectUnused(file, []);
}

function collectUnused(value: unknown, path: KeyPath): readonly string[] {
  const description = findSchemaNode(ConfigFile, path)?.['description'];
  if (typeof description === 'string' && description.endsWith(NOT_USED_YET)) return [formatKeyPath(path)];
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => collectUnused(inner, [...path, key]));
}
