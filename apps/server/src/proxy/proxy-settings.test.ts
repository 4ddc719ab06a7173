import { describe, expect, it } from 'vitest';
import { findProxy, proxyName, readProxySettings } from './proxy-settings.ts';

const proxyFor = (url: string, environment: Record<string, string>) =>
  findProxy(new URL(url), readProxySettings(environment, 'en'));

const both = { HTTP_PROXY: 'http://web:1', HTTPS_PROXY: 'http://safe:2' };

describe('findProxy', () => {
  it.each([
    ['http://eyes.test/v1', 'http://web:1'],
    ['https://eyes.test/v1', 'http://safe:2'],
    ['http://localhost.eyes.test', 'http://web:1'],
    ['http://127.0.0.1.eyes.test', 'http://web:1'],
    ['http://10.0.0.1', 'http://web:1'],
    ['http://[2001:db8::1]', 'http://web:1'],
  ])('takes the proxy of the protocol for %s', (url, proxy) => {
    expect(proxyFor(url, both)).toBe(proxy);
  });

  it.each([
    'http://127.0.0.1:4010',
    'http://127.9.8.7',
    'http://2130706433',
    'https://localhost',
    'http://LOCALHOST.:80',
    'http://a.localhost',
    'http://[::1]:4010',
    'http://[::ffff:127.0.0.1]',
    'http://0.0.0.0:4010',
    'http://[::]:4010',
  ])('never takes one for this machine (%s)', (url) => {
    expect(proxyFor(url, both)).toBeUndefined();
  });

  it.each<[string, string, boolean]>([
    ['eyes.test', 'http://eyes.test', true],
    ['eyes.test', 'http://a.eyes.test', true],
    ['.eyes.test', 'http://a.eyes.test', true],
    ['*.eyes.test', 'http://eyes.test', true],
    ['EYES.test', 'http://eyes.TEST.', true],
    ['eyes.test', 'http://myeyes.test', false],
    ['a.test, eyes.test  b.test', 'http://eyes.test', true],
    ['eyes.test:80', 'http://eyes.test', true],
    ['eyes.test:443', 'https://eyes.test', true],
    ['eyes.test:8080', 'http://eyes.test', false],
    ['2001:db8::1', 'http://[2001:db8::1]:8080', true],
    ['[2001:db8::1]:80', 'http://[2001:db8::1]', true],
    ['[2001:db8::1]:81', 'http://[2001:db8::1]', false],
    ['*', 'http://eyes.test', true],
    ['x, *', 'http://eyes.test', true],
  ])('reads NO_PROXY=%s for %s', (noProxy, url, isDirect) => {
    expect(proxyFor(url, { ...both, NO_PROXY: noProxy }) === undefined).toBe(isDirect);
  });

  it('takes the proxy of http for https where only that is set, and names in lower case first', () => {
    expect(proxyFor('https://eyes.test', { HTTP_PROXY: 'http://web:1' })).toBe('http://web:1');
    expect(proxyFor('http://eyes.test', { HTTPS_PROXY: 'http://safe:2' })).toBeUndefined();
    expect(proxyFor('http://eyes.test', { ...both, http_proxy: 'http://small:3' })).toBe('http://small:3');
    expect(proxyFor('http://eyes.test', {})).toBeUndefined();
  });
});

describe('proxyName', () => {
  it('is host and port, and never the password', () => {
    expect(proxyName('http://me:pw-1234@web:8080/x')).toBe('web:8080');
  });
});
