import { wireApis } from '@fovea/core/catalog';
import { describe, expect, it } from 'vitest';
import { LazyProviders, spokenWireApis } from './lazy-providers.ts';

const create = (environment: Record<string, string> = {}) =>
  new LazyProviders({ environment, locale: 'en', hasOtherModels: async () => false });

describe('LazyProviders', () => {
  it.each(wireApis)('says the truth about speaking %s', async (wireApi) => {
    const providers = create();
    const loaded = await providers.get(wireApi).catch((error: { code: string }) => error.code);
    await providers.close();
    if (spokenWireApis.has(wireApi)) expect(loaded).toMatchObject({ wireApi });
    else expect(loaded).toBe('UNKNOWN_WIRE_API');
  });

  it('makes each provider once', async () => {
    const providers = create();
    expect(await providers.get('openai-chat')).toBe(await providers.get('openai-chat'));
    expect(await providers.get('offline')).toBe(await providers.get('offline'));
    await providers.close();
  });

  it('names a proxy variable that holds no address, and keeps its value to itself', async () => {
    const providers = create({ https_proxy: 'socks5://me:pw-1234@127.0.0.1:1' });
    await expect(providers.get('openai-chat')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: 'the environment variable HTTPS_PROXY is not the http:// or https:// address of a proxy',
    });
    const inChinese = new LazyProviders({
      environment: { HTTP_PROXY: 'x' },
      locale: 'zh-CN',
      hasOtherModels: async () => false,
    });
    await expect(inChinese.get('openai-chat')).rejects.toMatchObject({
      message: '环境变量 HTTP_PROXY 不是以 http:// 或 https:// 开头的代理地址',
      data: { localized: true },
    });
    await expect(providers.get('offline')).resolves.toMatchObject({ wireApi: 'offline' });
    await providers.close();
  });
});
