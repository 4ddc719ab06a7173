import { describe, expect, it } from 'vitest';
import { readKey } from './read-key.ts';

const channel = { name: 'lab', key: { kind: 'variable', name: 'LAB_KEY' } } as const;

describe('readKey', () => {
  it('gives the key of the variable, without blanks around it', () => {
    const found = readKey(channel, { LAB_KEY: ' key-é-1 \n' }, 'en');
    expect(found.ok && found.value?.reveal()).toBe('key-é-1');
  });

  it.each(['sk-1\nsk-2', 'sk-\u00001', 'sk-\u007f1', 'ключ-1', 'sk-\u00851', 'sk-“1”'])(
    'names the variable that holds a key which no header can carry, and never the key (%j)',
    (key) => {
      const found = readKey(channel, { LAB_KEY: key }, 'en');
      expect(found).toMatchObject({ ok: false, error: { code: 'CONFIG_INVALID', data: { variable: 'LAB_KEY' } } });
      const text = found.ok ? '' : `${found.error.message} ${JSON.stringify(found.error)}`;
      expect(text).toContain('the environment variable LAB_KEY holds characters that HTTP cannot carry');
      expect(text).not.toMatch(/sk-|ключ/);
      const inChinese = readKey(channel, { LAB_KEY: key }, 'zh-CN');
      expect(inChinese).toMatchObject({ ok: false, error: { message: expect.stringContaining('环境变量 LAB_KEY') } });
    },
  );
});
