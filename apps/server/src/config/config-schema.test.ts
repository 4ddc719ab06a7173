import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { buildConfigSchemaFile } from './config-schema.ts';

describe('config.schema.json', () => {
  it('is what the schema in the code gives; npm run docs writes it anew', async () => {
    const shipped = await readFile(new URL('../../config.schema.json', import.meta.url), 'utf8');
    expect(shipped).toBe(buildConfigSchemaFile());
  });

  it('refuses keys that it does not list, at every level', () => {
    const open: string[] = [];
    const visit = (node: unknown, path: string): void => {
      if (typeof node !== 'object' || node === null) return;
      const fields = node as Record<string, unknown>;
      const isOpen = fields['type'] === 'object' && fields['additionalProperties'] !== false;
      if (isOpen) open.push(path);
      for (const [key, value] of Object.entries(fields)) visit(value, `${path}/${key}`);
    };
    visit(JSON.parse(buildConfigSchemaFile()), '');
    const freeByNature = open.filter((path) => !/\/(extraBody|env|headers)$/.test(path));
    expect(freeByNature).toEqual([]);
  });
});
