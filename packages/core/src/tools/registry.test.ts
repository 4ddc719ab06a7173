import { describe, expect, it } from 'vitest';
import { locales } from '../base/locale.ts';
import { builtInTools, findTool } from './registry.ts';

describe('builtInTools', () => {
  it('has one file tool for text and pictures, and no read_image', () => {
    expect(builtInTools().map(({ name }) => name)).toEqual([
      'read_file',
      'view_image',
      'list_directory',
      'find_files',
      'search_text',
      'write_file',
      'edit_file',
      'run_command',
    ]);
    expect(findTool(builtInTools(), 'view_image')?.effect).toBe('read');
    expect(findTool(builtInTools(), 'read_image')).toBeUndefined();
  });

  it('judges every call of a tool that does more than read', () => {
    const tools = builtInTools().filter(({ effect }) => effect !== 'read');
    expect(tools.map(({ name }) => name)).toEqual(['write_file', 'edit_file', 'run_command']);
    expect(tools.filter(({ demand }) => demand === undefined)).toEqual([]);
  });

  it('describes every parameter in both languages, the same each time', () => {
    for (const tool of builtInTools()) {
      for (const locale of locales) {
        const definition = tool.definition(locale);
        expect(definition.name).toBe(tool.name);
        expect(JSON.stringify(definition)).not.toContain('"description":""');
        expect(JSON.stringify(tool.definition(locale))).toBe(JSON.stringify(definition));
      }
      expect(tool.definition('zh-CN').description).not.toBe(tool.definition('en').description);
    }
  });
});
