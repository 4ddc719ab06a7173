import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WireApi } from '@fovea/core/catalog';
import { afterEach, describe, expect, it } from 'vitest';
import { ChannelRegistry } from './channels/channel-registry.ts';
import { listUnusableKeys } from './channels/environment-channels.ts';
import { chooseModel, listModelChoices } from './choose-model.ts';
import { fillConfigDefaults } from './config/config.ts';
import type { ConfigFile } from './config/config-schema.ts';
import type { ModelResolver } from './resolve-model.ts';

const open: Server[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

interface LocalServer {
  readonly url: string;
  readonly requests: string[];
}

async function startOllama(models: readonly { name: string; capabilities?: string[] }[]): Promise<LocalServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end(JSON.stringify(request.url === '/api/tags' ? { models } : {}));
  });
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** Port 9 is "discard": nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9';

function resolverFor(input: {
  readonly file?: ConfigFile;
  readonly environment?: Record<string, string>;
  readonly ollamaUrl?: string;
}): ModelResolver {
  const config = fillConfigDefaults(input.file ?? {}, 'en');
  const environment = input.environment ?? {};
  const wireApis = new Set<WireApi>(['openai-chat', 'offline']);
  const localServers = { ollamaUrl: input.ollamaUrl ?? NOWHERE, lmStudioUrl: NOWHERE, timeoutMs: 2_000 };
  return {
    registry: new ChannelRegistry({ channels: config.channels, environment, wireApis, localServers }),
    environment,
    locale: config.locale,
    wireApis,
  };
}

async function choose(resolver: ModelResolver, requested?: string, configured?: string) {
  const chosen = await chooseModel(resolver, { requested, configured });
  return chosen.ok ? chosen.value.id : [chosen.error.code, chosen.error.message];
}

const lab: ConfigFile = {
  channels: {
    lab: {
      supplier: 'openai',
      baseUrl: 'http://127.0.0.1:4010/v1',
      models: { seer: { imageInput: 'yes', contextTokens: 128_000 }, blind: { imageInput: 'no' }, 'org/deep/one': {} },
    },
  },
};

describe('chooseModel with channels in the configuration', () => {
  it('takes what was asked for, also with slashes in its name', async () => {
    expect(await choose(resolverFor({ file: lab }), 'lab/blind', 'lab/seer')).toBe('lab/blind');
    expect(await choose(resolverFor({ file: lab }), 'lab/org/deep/one')).toBe('lab/org/deep/one');
    expect(await choose(resolverFor({ file: lab }), 'offline/reader')).toBe('offline/reader');
  });

  it('takes the configured default next', async () => {
    expect(await choose(resolverFor({ file: lab }), undefined, 'lab/seer')).toBe('lab/seer');
  });

  it('takes the only model, and asks when there are several', async () => {
    const single: ConfigFile = { channels: { lab: { supplier: 'custom', baseUrl: NOWHERE, models: { one: {} } } } };
    expect(await choose(resolverFor({ file: single }))).toBe('lab/one');
    expect(await choose(resolverFor({ file: lab }))).toEqual([
      'NO_MODEL_CHOSEN',
      'no model is chosen; name one with -m, or as "model" in the configuration. There are: lab/seer, lab/blind, lab/org/deep/one; offline/reader. Example: -m lab/seer',
    ]);
  });

  it('says what to do when a channel names no model', async () => {
    const empty: ConfigFile = { channels: { lab: { supplier: 'custom', baseUrl: NOWHERE } } };
    expect(await choose(resolverFor({ file: empty }))).toEqual([
      'NO_MODEL_CHOSEN',
      'no model is named; add "models" to a channel in the configuration. Channels: lab. Example: -m lab/MODEL',
    ]);
    expect(await choose(resolverFor({ file: empty }), 'lab/anything')).toBe('lab/anything');
  });

  it('lists what exists for an unknown channel or model', async () => {
    const resolver = resolverFor({ file: lab });
    expect(await choose(resolver, 'lob/seer')).toEqual([
      'UNKNOWN_CHANNEL',
      'no channel is called "lob"; did you mean "lab"? there are: lab, offline',
    ]);
    expect(await choose(resolver, 'lab/sear')).toEqual([
      'UNKNOWN_MODEL',
      'the channel "lab" has no model "sear"; did you mean "seer"? it has: seer, blind, org/deep/one',
    ]);
    expect(await choose(resolver, 'seer')).toEqual([
      'UNKNOWN_MODEL',
      '"seer" is not CHANNEL/MODEL; did you mean "lab/seer"? there are: lab/seer, lab/blind, lab/org/deep/one; offline/reader',
    ]);
    for (const text of ['', '/', 'lab/', '/seer']) {
      expect((await choose(resolver, text))[0]).toBe('UNKNOWN_MODEL');
    }
  });

  it('looks at no key of the environment and asks no local server', async () => {
    const ollama = await startOllama([{ name: 'llava' }]);
    const resolver = resolverFor({ file: lab, environment: { OPENAI_API_KEY: 'sk-1' }, ollamaUrl: ollama.url });
    const choices = await listModelChoices(resolver);
    expect(choices.map((choice) => choice.id)).toEqual(['lab/seer', 'lab/blind', 'lab/org/deep/one', 'offline/reader']);
    expect((await choose(resolver, 'ollama/llava'))[0]).toBe('UNKNOWN_CHANNEL');
    expect(ollama.requests).toEqual([]);
  });

  it('cuts long lists of names', async () => {
    const models = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`m${index}`, {}]));
    const many: ConfigFile = { channels: { lab: { supplier: 'custom', baseUrl: NOWHERE, models } } };
    const [, message] = await choose(resolverFor({ file: many }), 'lab/something-else');
    expect(message).toBe(
      'the channel "lab" has no model "something-else"; it has: m0, m1, m2, m3, m4, m5, m6, m7, … 4 more',
    );
  });

  it('marks its sentences as whole', async () => {
    const asked = { requested: 'lob/seer', configured: undefined };
    expect(await chooseModel(resolverFor({ file: lab }), asked)).toMatchObject({
      error: { data: { localized: true } },
    });
    expect(
      await chooseModel(resolverFor({ file: lab }), { requested: undefined, configured: undefined }),
    ).toMatchObject({ error: { data: { localized: true } } });
  });

  it('names the variable and the channel of a missing key only when the channel is used', async () => {
    const file: ConfigFile = {
      channels: {
        lab: { supplier: 'openai', apiKey: 'env:LAB_KEY', models: { seer: {} } },
        bare: { supplier: 'openai', models: { seer: {} } },
        own: { supplier: 'openai', baseUrl: NOWHERE, models: { seer: {} } },
      },
    };
    const message = 'the key of the channel "lab" is missing: the environment variable LAB_KEY is not set';
    expect(await choose(resolverFor({ file }), 'lab/seer')).toEqual(['KEY_MISSING', message]);
    expect(await choose(resolverFor({ file, environment: { LAB_KEY: '  ' } }), 'lab/seer')).toEqual([
      'KEY_MISSING',
      message,
    ]);
    expect(await choose(resolverFor({ file, environment: { LAB_KEY: 'k' } }), 'lab/seer')).toBe('lab/seer');
    expect(await choose(resolverFor({ file, environment: { OPENAI_API_KEY: 'k' } }), 'bare/seer')).toEqual([
      'KEY_MISSING',
      'the key of the channel "bare" is missing: add "apiKey": "env:OPENAI_API_KEY" to it in the configuration',
    ]);
    expect(await choose(resolverFor({ file }), 'own/seer')).toBe('own/seer');
    expect((await listModelChoices(resolverFor({ file }))).length).toBe(4);
  });

  it('says which wire API it does not speak', async () => {
    const file: ConfigFile = {
      channels: { claude: { supplier: 'anthropic', apiKey: 'k', models: { 'claude-opus-4-8': {} } } },
    };
    expect(await choose(resolverFor({ file }))).toEqual([
      'UNKNOWN_WIRE_API',
      'the channel "claude" speaks anthropic-messages, which this build does not; it speaks: openai-chat',
    ]);
  });

  it('answers in Chinese where the configuration says so', async () => {
    const [, message] = await choose(resolverFor({ file: { ...lab, locale: 'zh-CN' } }), 'lab/sear');
    expect(message).toBe('渠道“lab”没有模型“sear”。是否想写“seer”?可用:seer、blind、org/deep/one');
  });

  it('takes a key of the environment only for the model that was asked for by its name', async () => {
    const file: ConfigFile = {
      ...lab,
      channels: { ...lab.channels, mistral: { supplier: 'custom', baseUrl: NOWHERE } },
    };
    const resolver = resolverFor({ file, environment: { OPENAI_API_KEY: 'k', MISTRAL_API_KEY: 'k' } });
    expect(await choose(resolver, 'openai/gpt-4o')).toBe('openai/gpt-4o');
    expect((await listModelChoices(resolver)).map((choice) => choice.channel)).not.toContain('openai');
    expect(await resolver.registry.find('mistral')).toMatchObject({ origin: 'config', baseUrl: NOWHERE });
    const single: ConfigFile = { channels: { lab: { supplier: 'custom', baseUrl: NOWHERE, models: { one: {} } } } };
    expect(await choose(resolverFor({ file: single, environment: { OPENAI_API_KEY: 'k' } }))).toBe('lab/one');
  });

  it('says that no server is looked for beside channels of the configuration', async () => {
    expect(await choose(resolverFor({ file: lab }), 'ollama/llava')).toEqual([
      'UNKNOWN_CHANNEL',
      'no channel is called "ollama"; add it to config.jsonc, because no server is looked for where that file names channels',
    ]);
  });
});

describe('chooseModel without channels in the configuration', () => {
  it('answers with the built-in reader when nothing at all is found', async () => {
    expect(await choose(resolverFor({}))).toBe('offline/reader');
    expect(await choose(resolverFor({ environment: { OPENAI_API_KEY: '  ' } }))).toBe('offline/reader');
  });

  it('never takes a found account silently, even the only one', async () => {
    const resolver = resolverFor({ environment: { DEEPSEEK_API_KEY: 'sk-1' } });
    const chosen = await chooseModel(resolver, { requested: undefined, configured: undefined });
    if (chosen.ok) throw new Error('a paid account was chosen');
    expect(chosen.error.code).toBe('NO_MODEL_CHOSEN');
    expect(chosen.error.message).toContain('There are: deepseek/deepseek-flash');
    expect(chosen.error.message).toMatch(/Example: -m deepseek\/deepseek-flash$/);
    expect(chosen.error.message).not.toContain('sk-1');
    const choices = chosen.error.data['choices'] as { id: string; origin: string }[];
    expect(choices.at(0)).toMatchObject({ id: 'deepseek/deepseek-flash', origin: 'environment', imageInput: 'yes' });
    expect(choices.at(-1)).toMatchObject({ id: 'offline/reader', origin: 'built-in' });
    expect(await choose(resolver, 'deepseek/deepseek-flash')).toBe('deepseek/deepseek-flash');
    expect(await choose(resolver, undefined, 'deepseek/deepseek-flash')).toBe('deepseek/deepseek-flash');
  });

  it('takes models that its catalogue does not know, where the list is not the account’s own', async () => {
    const resolver = resolverFor({ environment: { MISTRAL_API_KEY: 'k' } });
    expect(await choose(resolver, 'mistral/pixtral-next')).toBe('mistral/pixtral-next');
  });

  it('finds a local server and lists its models, and nothing else there', async () => {
    const ollama = await startOllama([
      { name: 'llava:7b', capabilities: ['completion', 'vision'] },
      { name: 'qwen:4b', capabilities: ['completion'] },
    ]);
    const resolver = resolverFor({ ollamaUrl: ollama.url });
    expect(await listModelChoices(resolver)).toMatchObject([
      { id: 'ollama/llava:7b', imageInput: 'yes', origin: 'environment' },
      { id: 'ollama/qwen:4b', imageInput: 'no' },
      { id: 'offline/reader' },
    ]);
    expect((await choose(resolver))[0]).toBe('NO_MODEL_CHOSEN');
    expect(await choose(resolver, 'ollama/llava:7b')).toBe('ollama/llava:7b');
    expect((await choose(resolver, 'ollama/absent'))[0]).toBe('UNKNOWN_MODEL');
  });

  it('asks no local server for a channel that is known without', async () => {
    const ollama = await startOllama([{ name: 'llava' }]);
    const resolver = resolverFor({ environment: { OPENAI_API_KEY: 'k' }, ollamaUrl: ollama.url });
    expect(await choose(resolver, 'openai/gpt-4o')).toBe('openai/gpt-4o');
    expect(await choose(resolver, 'offline/reader')).toBe('offline/reader');
    expect(ollama.requests).toEqual([]);
  });

  it.each([
    ['OPENAI_API_KEY', 'openai'],
    ['DEEPSEEK_API_KEY', 'deepseek'],
    ['ARK_API_KEY', 'volcengine'],
    ['DASHSCOPE_API_KEY', 'dashscope'],
    ['ZHIPU_API_KEY', 'zhipu'],
    ['MOONSHOT_API_KEY', 'moonshot'],
    ['OPENROUTER_API_KEY', 'openrouter'],
    ['MINIMAX_API_KEY', 'minimax'],
    ['MISTRAL_API_KEY', 'mistral'],
    ['XAI_API_KEY', 'xai'],
    ['GEMINI_API_KEY', 'gemini'],
  ])('makes a channel of the key in %s', async (variable, channel) => {
    const { registry } = resolverFor({ environment: { [variable]: 'k' } });
    expect(await registry.find(channel)).toMatchObject({ origin: 'environment', key: { kind: 'variable' } });
    expect((await registry.list()).map((one) => one.name)).toEqual([channel, 'offline']);
  });

  it.each<[string, Record<string, string>, string, string]>([
    [
      'openai/gpt-5.4',
      {},
      'UNKNOWN_CHANNEL',
      'no channel is called "openai"; set OPENAI_API_KEY, or add a channel to config.jsonc',
    ],
    [
      'zhipu/glm',
      { OPENAI_API_KEY: 'k' },
      'UNKNOWN_CHANNEL',
      'no channel is called "zhipu"; set ZHIPU_API_KEY, or add a channel to config.jsonc',
    ],
    [
      'anthropic/claude-opus-4-8',
      { ANTHROPIC_API_KEY: 'k' },
      'UNKNOWN_WIRE_API',
      'the supplier "anthropic" speaks anthropic-messages, which this build does not; it speaks: openai-chat',
    ],
    [
      'lmstudio/any',
      {},
      'UNKNOWN_CHANNEL',
      'no channel is called "lmstudio", because no server of LM Studio with a model answers on this machine; start it, or add a channel to config.jsonc',
    ],
    [
      'azure/any',
      { AZURE_OPENAI_API_KEY: 'k' },
      'UNKNOWN_CHANNEL',
      'no channel is called "azure"; add one to config.jsonc with the "baseUrl" of your own Azure OpenAI',
    ],
    ['custom/any', {}, 'UNKNOWN_CHANNEL', 'no channel is called "custom"; there are: offline'],
  ])('says what %s would need', async (requested, environment, code, message) => {
    expect(await choose(resolverFor({ environment }), requested)).toEqual([code, message]);
  });

  it('shows some models of each channel, and keeps all of them as data', async () => {
    const environment = { OPENAI_API_KEY: 'k', DEEPSEEK_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' };
    const ollama = await startOllama(['a', 'b', 'c', 'd', 'e'].map((name) => ({ name })));
    const resolver = resolverFor({ environment, ollamaUrl: ollama.url });
    const chosen = await chooseModel(resolver, { requested: undefined, configured: undefined });
    if (chosen.ok) throw new Error('a paid account was chosen');
    const { message, data } = chosen.error;
    const choices = data['choices'] as { id: string; channel: string }[];
    expect(choices).toHaveLength((await listModelChoices(resolver)).length);
    const openAi = choices.filter((choice) => choice.channel === 'openai');
    const shown = openAi.slice(0, 3).map((choice) => choice.id);
    expect(message).toContain(`There are: ${shown.join(', ')}, … ${openAi.length - 3} more; deepseek/`);
    expect(message).toContain('; ollama/a, ollama/b, ollama/c, … 2 more; offline/reader. ');
    expect(message).toContain('. ANTHROPIC_API_KEY is set, but this build does not speak anthropic-messages. ');
    expect(message.endsWith(`Example: -m ${openAi[0]?.id}`)).toBe(true);
  });

  it('says nothing of the key of a supplier whose address only its customer knows', async () => {
    expect(
      listUnusableKeys({ AZURE_OPENAI_API_KEY: 'k', AWS_BEARER_TOKEN_BEDROCK: 'k' }, new Set(['offline'])),
    ).toEqual([]);
    expect(listUnusableKeys({ ANTHROPIC_API_KEY: 'k' }, new Set(['openai-chat']))).toEqual([
      { variable: 'ANTHROPIC_API_KEY', wireApis: ['anthropic-messages'] },
    ]);
  });

  it('makes no channel of a key whose wire API this build does not speak', async () => {
    expect(await choose(resolverFor({ environment: { ANTHROPIC_API_KEY: 'k' } }))).toBe('offline/reader');
  });
});
