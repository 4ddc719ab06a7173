import { type LogFields, type Logger, Secret } from '@fovea/core/base';
import { describe, expect, it } from 'vitest';
import { createMaskedLogger } from './mask-log.ts';

describe('createMaskedLogger', () => {
  it('repeats no secret at any level, in an event or a field, and leaves everything else', () => {
    const lines: unknown[] = [];
    const keep = (event: string, fields?: LogFields): number =>
      lines.push(fields === undefined ? [event] : [event, fields]);
    const sink: Logger = { debug: keep, info: keep, warn: keep, error: keep };
    const logger = createMaskedLogger(sink, [
      new Secret('a-long-key'),
      new Secret('a-long-key-and-more'),
      new Secret('ok'),
    ]);
    for (const level of ['debug', 'info', 'warn', 'error'] as const) {
      logger[level]('is ok', { path: '/x/a-long-key-and-more/y', count: 3 });
    }
    logger.info('a-long-key');
    expect(lines).toEqual([...Array(4).fill(['is ok', { path: '/x/[secret]/y', count: 3 }]), ['[secret]']]);
  });
});
