import { Secret } from '@fovea/core/base';
import { describe, expect, it } from 'vitest';
import { createJsonLinesLogger } from './json-lines-logger.ts';

function logAll(environment: Record<string, string>): unknown[] {
  const lines: string[] = [];
  const logger = createJsonLinesLogger(environment, { write: (line) => lines.push(line) }, () => 0);
  logger.debug('step-start', { step: 1 });
  logger.info('turn-end', { turnId: 'turn_1' });
  logger.warn('blob-slow', { name: 'x'.repeat(1_000) });
  logger.error('store-broken');
  return lines.map((line) => JSON.parse(line));
}

describe('createJsonLinesLogger', () => {
  it('is silent without FOVEA_LOG', () => {
    expect(logAll({})).toEqual([]);
    expect(logAll({ FOVEA_LOG: 'loud' })).toEqual([]);
  });

  it('writes lines from the level that is named', () => {
    expect(logAll({ FOVEA_LOG: 'debug' })).toHaveLength(4);
    expect(logAll({ FOVEA_LOG: 'INFO' })[0]).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      level: 'info',
      event: 'turn-end',
      turnId: 'turn_1',
    });
    expect(logAll({ FOVEA_LOG: 'error' })).toHaveLength(1);
  });

  it('cuts long fields', () => {
    const [line] = logAll({ FOVEA_LOG: 'warn' });
    expect(String((line as { name: string }).name)).toHaveLength(256);
  });

  it('prints no key', () => {
    const lines: string[] = [];
    const logger = createJsonLinesLogger({ FOVEA_LOG: 'debug' }, { write: (line) => lines.push(line) }, () => 0);
    logger.info('request', { key: `${new Secret('sk-very-secret')}` });
    expect(lines.join('')).toContain('[secret]');
    expect(lines.join('')).not.toContain('sk-very');
  });
});
