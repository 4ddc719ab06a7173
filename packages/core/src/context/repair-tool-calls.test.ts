import { describe, expect, it } from 'vitest';
import type { ToolCallPart } from '../content/parts.ts';
import { repairToolCalls } from './repair-tool-calls.ts';

function repaired(name: string, toolArguments: string): Pick<ToolCallPart, 'name' | 'arguments'> | undefined {
  const [part] = repairToolCalls([{ type: 'tool-call', toolCallId: 'c', name, arguments: toolArguments }]);
  return part?.type === 'tool-call' ? { name: part.name, arguments: part.arguments } : undefined;
}

describe('repairToolCalls', () => {
  it('leaves legal calls alone, the very same list', () => {
    const parts = [
      { type: 'text' as const, text: 'Looking.' },
      { type: 'tool-call' as const, toolCallId: 'c', name: 'read_file', arguments: '{ "path" : "a" }' },
    ];
    expect(repairToolCalls(parts)).toBe(parts);
  });

  it('makes arguments an object that shows what the model wrote', () => {
    expect(repaired('read', '')?.arguments).toBe('{}');
    expect(repaired('read', ' ')?.arguments).toBe('{}');
    expect(repaired('read', '{"path": oops')?.arguments).toBe('{"invalid_arguments":"{\\"path\\": oops"}');
    expect(repaired('read', '[1]')?.arguments).toBe('{"invalid_arguments":"[1]"}');
  });

  it('writes no half of a character, by which endpoints that read the arguments fail, and keeps whole ones', () => {
    const half = String.raw`{"path":"a\ud83d","b\uDC00":["\ud83d"]}`;
    expect(JSON.parse(repaired('read', half)?.arguments ?? '')).toEqual({ path: 'a\ufffd', 'b\ufffd': ['\ufffd'] });
    const whole = String.raw`{"path":"\ud83d\ude00","c":"\\ud83d"}`;
    expect(repaired('read', whole)?.arguments).toBe(whole);
  });

  it('makes names legal', () => {
    expect(repaired('functions.read file', '{}')?.name).toBe('functions_read_file');
    expect(repaired('', '{}')?.name).toBe('_');
    expect(repaired('x'.repeat(80), '{}')?.name).toHaveLength(64);
  });
});
