import { describe, expect, it } from 'vitest';
import { lastLines, toolCallLine, toolResultLine } from './tool-lines.ts';

const result = JSON.stringify({ content: 'first\nsecond\u001b[2J\nlast\n', exit_code: 0 });

describe('tool lines', () => {
  it('show how the output of a program begins and ends, without the facts around it', () => {
    expect(toolResultLine(result)).toBe('first … (+2)');
    expect(lastLines(result)).toEqual(['    second', '    last']);
    expect(lastLines('Denied: no.\nAsk the user.')).toEqual(['    Ask the user.']);
  });

  it('cut a long command between characters', () => {
    const line = toolCallLine({ name: 'run_command', arguments: '{}', activity: { target: '🎉'.repeat(200) } });
    expect(line).toMatch(/^run_command (🎉)+…$/u);
  });
});
