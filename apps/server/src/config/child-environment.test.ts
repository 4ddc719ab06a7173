import { describe, expect, it } from 'vitest';
import { pickChildEnvironment } from './child-environment.ts';

const KEYS = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'DEEPSEEK_API_KEY', 'FOVEA_SECRET_KEY', 'AWS_SECRET_ACCESS_KEY'];

const environment = {
  PATH: '/usr/bin',
  HOME: '/home/me',
  LANG: 'en_US.UTF-8',
  LC_TIME: 'C',
  TMPDIR: '/tmp',
  https_proxy: 'http://proxy:1',
  NO_PROXY: 'localhost',
  SystemRoot: 'C:\\Windows',
  GOPATH: '/go',
  NODE_OPTIONS: '--require ./evil.js',
  LD_PRELOAD: '/evil.so',
  EMPTY: undefined,
  ...Object.fromEntries(KEYS.map((name) => [name, 'a-key'])),
};

describe('pickChildEnvironment', () => {
  it('keeps what programs need, with the spelling of its names, and nothing else', () => {
    expect(pickChildEnvironment(environment)).toEqual({
      PATH: '/usr/bin',
      HOME: '/home/me',
      LANG: 'en_US.UTF-8',
      LC_TIME: 'C',
      TMPDIR: '/tmp',
      https_proxy: 'http://proxy:1',
      NO_PROXY: 'localhost',
      SystemRoot: 'C:\\Windows',
    });
  });

  it('adds exactly what the configuration names, a key only then', () => {
    const picked = pickChildEnvironment(environment, ['GOPATH', 'OPENAI_API_KEY', 'gopath', 'EMPTY']);
    expect(picked).toMatchObject({ GOPATH: '/go', OPENAI_API_KEY: 'a-key' });
    expect(Object.keys(picked)).toHaveLength(10);
  });
});
