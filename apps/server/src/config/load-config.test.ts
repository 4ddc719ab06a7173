import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from './load-config.ts';

let home: string;
let file: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'fovea-config-'));
  file = join(home, 'config.jsonc');
});

afterAll(() => rm(home, { recursive: true, force: true }));

const load = (environment: Record<string, string> = {}) => loadConfig({ home, environment });

async function loadText(text: string | Uint8Array, environment?: Record<string, string>) {
  await writeFile(file, text);
  return load(environment);
}

/** The lines of the error, without the file's own name in front. */
async function faultsOf(text: string | Uint8Array, environment?: Record<string, string>): Promise<readonly string[]> {
  const loaded = await loadText(text, environment);
  if (loaded.ok) return [];
  expect(loaded.error.code).toBe('CONFIG_INVALID');
  return loaded.error.message.split('\n').map((line) => {
    expect(line.startsWith(file)).toBe(true);
    return line.slice(file.length);
  });
}

const channel = (fields: string) =>
  `{\n  "channels": {\n    "lab": {\n      "supplier": "openai",\n      ${fields}\n    }\n  }\n}\n`;

describe('loadConfig: a good file', () => {
  it('reads comments, trailing commas, a byte order mark and CRLF', async () => {
    const text =
      '\uFEFF{\r\n  // the language\r\n  "locale": "zh-CN", /* and the model */\r\n  "model": "openai/a/b",\r\n}\r\n';
    const loaded = await loadText(text);
    expect(loaded).toMatchObject({
      ok: true,
      value: { config: { locale: 'zh-CN', model: 'openai/a/b' }, warnings: [] },
    });
  });

  it('takes everything that the reference shows', async () => {
    const text = `{
      "$schema": "./config.schema.json",
      "locale": "en", "model": "lab/seer", "visionModel": "auto", "nonVision": "summary",
      "channels": { "lab": {
        "supplier": "openai", "wireApi": "openai-chat", "baseUrl": "http://127.0.0.1:4010/v1", "apiKey": "env:LAB_KEY",
        "headers": { "x-team": "eyes" },
        "models": {
          "seer": { "imageInput": "yes", "contextTokens": 128000, "maxOutputTokens": 4096, "temperature": 0.2,
            "reasoningEffort": "low", "extraBody": { "seed": 1, "nested": { "a": [null] } },
            "price": { "input": 1.5, "cached": 0.1, "output": 6 } },
          "blind": { "imageInput": "no" }, "org/other:7b": {}
        },
        "limits": { "maxImages": 4, "maxRaw": null, "manyImages": { "over": 20, "maxSide": 2000 }, "detail": null },
        "toolImages": null
      } },
      "permissions": { "profile": "workspace-write", "forbidRead": ["~/.ssh"], "externalFolders": { "photos": "~/Pictures" } },
      "systemPrompt": null,
      "vision": { "askBeforeSending": true },
      "commands": { "environment": ["GOPATH"] },
      "mcpServers": { "shots": { "command": "node", "args": ["server.mjs"], "env": {}, "start": "eager" },
                      "far": { "url": "https://mcp.example.org/", "headers": {}, "start": "onDemand" } },
      "limits": { "readFileImageBytes": 5242880, "viewImageBytes": 3145728, "uploadBytes": { "video": 1 } },
      "fetch": { "allow": ["intranet.example.org"] },
      "server": { "workspaceRoots": ["/srv/work"], "hostTools": false }
    }`;
    expect(await faultsOf(text)).toEqual([]);
  });

  it.each(['', '  \n', '{}', '// nothing yet\n', '\uFEFF'])('takes %j for the defaults', async (text) => {
    const loaded = await loadText(text);
    expect(loaded).toMatchObject({
      ok: true,
      value: {
        config: {
          locale: 'en',
          model: undefined,
          visionModel: 'auto',
          nonVision: 'summary',
          channels: {},
          permissions: { profile: 'workspace-write', forbidRead: [], externalFolders: {} },
          systemPrompt: null,
        },
      },
    });
  });

  it('takes a missing file of the home folder for the defaults', async () => {
    await rm(file, { force: true });
    expect(await load()).toMatchObject({ ok: true, value: { config: { channels: {} }, warnings: [] } });
    expect(await loadConfig({ home: join(home, 'absent'), environment: {} })).toMatchObject({ ok: true });
  });

  it('follows the language of the surroundings where the file names none', async () => {
    expect(await loadText('{}', { LANG: 'zh_CN.UTF-8' })).toMatchObject({ value: { config: { locale: 'zh-CN' } } });
    expect(await loadText('{"locale": "en"}', { LANG: 'zh_CN.UTF-8' })).toMatchObject({
      value: { config: { locale: 'en' } },
    });
    expect(await loadText('{}', { LC_ALL: 'C', LANG: 'zh_CN.UTF-8' })).toMatchObject({
      value: { config: { locale: 'en' } },
    });
  });

  it('freezes the result to its leaves', async () => {
    const loaded = await loadText(channel('"models": { "seer": {} }'));
    if (!loaded.ok) throw loaded.error;
    expect(Object.isFrozen(loaded.value.config)).toBe(true);
    expect(Object.isFrozen(loaded.value.config.channels['lab']?.models?.['seer'])).toBe(true);
    expect(Object.isFrozen(loaded.value.config.permissions.forbidRead)).toBe(true);
  });

  it.each([
    [
      'a channel that takes other models',
      channel('"apiKey": "env:LAB_KEY"').replace('{', '{ "model": "lab/any/model ",'),
    ],
    ['a listed model', channel('"models": { "a/b": {} }').replace('{', '{ "model": "lab/a/b", "visionModel": null,')],
    ['the built-in reader', '{ "model": "offline/reader" }'],
    ['an account that a key may open', channel('"apiKey": "k"').replace('{', '{ "model": "mistral/pixtral",')],
    ['a server that may be running', '{ "model": "ollama/llava" }'],
  ])('takes a default model of %s', async (_, text) => {
    expect(await faultsOf(text)).toEqual([]);
  });

  it('needs no key until a channel is used', async () => {
    expect(await faultsOf(channel('"apiKey": "env:LAB_KEY"'))).toEqual([]);
  });
});

describe('loadConfig: keys in the file', () => {
  const text = `{ "channels": {
    "lab": { "supplier": "openai", "apiKey": "sk-live-0123456789" },
    "other": { "supplier": "openai", "apiKey": "env:OTHER_KEY" },
    "third": { "supplier": "openai", "apiKey": "sk-live-9876543210" } } }`;

  it('warns once about literal keys without naming them', async () => {
    const loaded = await loadText(text);
    if (!loaded.ok) throw loaded.error;
    expect(loaded.value.warnings).toEqual([
      `${file}: a key is written in the file (channels.lab.apiKey, channels.third.apiKey); "env:NAME" keeps it out of the file`,
    ]);
  });

  it('never rewrites the file', async () => {
    await loadText(text);
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  it('shows no key in an error', async () => {
    const faults = await faultsOf(
      channel(
        '"apiKey": ["sk-live-0123456789"], "headers": { "authorization": 12345678 }, "baseUrl": "sk-live-0123456789"',
      ),
    );
    expect(faults).toHaveLength(3);
    expect(faults.join('\n')).not.toMatch(/sk-live|12345678/);
  });
});

describe('loadConfig: keys that have no effect', () => {
  const warningsOf = async (text: string) => {
    const loaded = await loadText(text);
    if (!loaded.ok) throw loaded.error;
    return loaded.value.warnings;
  };

  it.each([
    ['{ "visionModel": null }', 'visionModel is'],
    ['{ "nonVision": "error", "vision": { "askBeforeSending": false } }', 'nonVision and vision are'],
    ['{ "mcpServers": {}, "fetch": {}, "server": { "hostTools": true } }', 'mcpServers, fetch and server are'],
    [
      '{ "limits": { "imagePixels": 4, "mcpImages": 3, "fetchBytes": 1, "uploadBytes": { "video": 1 } } }',
      'limits.mcpImages, limits.fetchBytes and limits.uploadBytes are',
    ],
    [
      channel('"limits": { "maxImages": 4, "edge": 512, "manyImages": null, "maxTotalRaw": 9 }'),
      'channels.lab.limits.maxImages, channels.lab.limits.manyImages and channels.lab.limits.maxTotalRaw are',
    ],
  ])('are named once for %s', async (text, keys) => {
    expect(await warningsOf(text)).toEqual([`${file}: ${keys} not used by this build yet`]);
  });

  it('are named in the configured language', async () => {
    expect(await warningsOf('{ "locale": "zh-CN", "fetch": {}, "server": {} }')).toEqual([
      `${file}:此版本尚未使用 fetch、server`,
    ]);
  });

  it('are none in a file that uses what there is', async () => {
    const models = '"models": { "a.b": { "contextTokens": 8, "price": { "input": 1 }, "temperature": 1 } }';
    const limits = '"limits": { "maxRaw": 4, "body": 9, "url": true, "fileId": true }';
    expect(await warningsOf(channel(`"headers": { "x-a": "1" }, ${models}, ${limits}, "toolImages": null`))).toEqual(
      [],
    );
    const more =
      '{ "permissions": { "profile": "full-access", "forbidRead": ["*.secret"] }, "commands": { "environment": [] } }';
    expect(await warningsOf(more)).toEqual([]);
  });
});

describe('loadConfig: faults', () => {
  it.each<[string, string, readonly string[]]>([
    ['an unknown key', '{\n  "modle": "lab/seer"\n}', [':2:3: modle: unknown key; did you mean "model"?']],
    [
      'an unknown key far from all others',
      '{ "vision": { "resolution": 3 } }',
      [':1:15: vision.resolution: unknown key; known here: askBeforeSending'],
    ],
    [
      'an unknown key of a channel',
      channel('"baseURL": "http://127.0.0.1/v1"'),
      [':5:7: channels.lab.baseURL: unknown key; did you mean "baseUrl"?'],
    ],
    [
      'an unknown key of a model with dots in its name',
      channel('"models": { "seer-1.5": { "imageInputs": "yes" } }'),
      [':5:33: channels.lab.models["seer-1.5"].imageInputs: unknown key; did you mean "imageInput"?'],
    ],
    ['a value that is not in the list', '{ "locale": "fr" }', [':1:13: locale: expected "en" or "zh-CN", found "fr"']],
    [
      'another wire API',
      channel('"wireApi": "openai"'),
      [
        ':5:18: channels.lab.wireApi: expected "openai-chat", "openai-responses" or "anthropic-messages", found "openai"',
      ],
    ],
    ['a number where a text belongs', '{ "model": 3 }', [':1:12: model: expected CHANNEL/MODEL, found a number']],
    ['a model without channel', '{ "model": "seer" }', [':1:12: model: expected CHANNEL/MODEL, found "seer"']],
    [
      'a wrong vision model',
      '{ "visionModel": "best" }',
      [':1:18: visionModel: expected "auto", CHANNEL/MODEL or null, found "best"'],
    ],
    [
      'a negative limit',
      '{ "limits": { "imagePixels": -4 } }',
      [':1:30: limits.imagePixels: expected a whole number from 1, found -4'],
    ],
    [
      'a fraction',
      '{ "limits": { "imagePixels": 1.5 } }',
      [':1:30: limits.imagePixels: expected a whole number from 1, found 1.5'],
    ],
    [
      'a size as a text',
      '{ "limits": { "viewImageBytes": "3 MB" } }',
      [':1:33: limits.viewImageBytes: expected a whole number from 1, found a text'],
    ],
    [
      'a text where an object belongs',
      '{ "channels": "lab" }',
      [':1:15: channels: expected an object {...}, found a text'],
    ],
    [
      'a text for a channel',
      '{ "channels": { "lab": "openai" } }',
      [':1:24: channels.lab: expected an object {...}, found a text'],
    ],
    [
      'null for a switch',
      '{ "vision": { "askBeforeSending": null } }',
      [':1:35: vision.askBeforeSending: expected true or false, found null'],
    ],
    [
      'a switch where a number belongs',
      '{ "limits": { "imagePixels": true } }',
      [':1:30: limits.imagePixels: expected a whole number from 1, found true'],
    ],
    ['a switch where a text belongs', '{ "model": false }', [':1:12: model: expected CHANNEL/MODEL, found false']],
    [
      'a model of a channel that does not exist',
      '{\n  "channels": { "lab": { "supplier": "openai" } },\n  "model": "lob/seer"\n}',
      [':3:12: model: no channel is called "lob"; did you mean "lab"? there are: lab, offline'],
    ],
    [
      'a model of a channel in a file without any',
      '{ "visionModel": "lab/seer" }',
      [':1:18: visionModel: no channel is called "lab"; there are: offline'],
    ],
    [
      'a model that its channel does not list',
      channel('"models": { "seer": {} }').replace('{', '{ "model": "lab/sear",'),
      [':1:12: model: the channel "lab" has no model "sear"; did you mean "seer"? it has: seer'],
    ],
    [
      'another model of the built-in reader',
      '{ "model": "offline/seer" }',
      [':1:12: model: the channel "offline" has no model "seer"; it has: reader'],
    ],
    [
      'a model of a server that is not looked for',
      '{ "model": "ollama/llava", "channels": { "lab": { "supplier": "openai" } } }',
      [':1:12: model: no channel is called "ollama"; there are: lab, offline'],
    ],
    [
      'an entry of a list',
      '{ "commands": { "environment": ["OK", "NOT OK"] } }',
      [':1:39: commands.environment[1]: expected the name of an environment variable'],
    ],
    ['a list for an object', '[]', [':1:1: expected an object {...}, found a list']],
    ['a channel without supplier', '{ "channels": { "lab": {} } }', [':1:17: channels.lab: missing: "supplier"']],
    [
      'an unknown supplier',
      '{ "channels": { "lab": { "supplier": "openia" } } }',
      [':1:38: channels.lab.supplier: no supplier is called "openia"; did you mean "openai"?'],
    ],
    [
      'a custom server without address',
      '{ "channels": { "lab": { "supplier": "custom" } } }',
      [':1:17: channels.lab: "baseUrl" is needed, because the supplier "custom" has no address of its own'],
    ],
    [
      'an address without scheme',
      channel('"baseUrl": "127.0.0.1:4010"'),
      [':5:18: channels.lab.baseUrl: expected an address that starts with http:// or https://'],
    ],
    [
      'an address that is none',
      channel('"baseUrl": "http://:99999"'),
      [':5:18: channels.lab.baseUrl: the host of the address is not valid'],
    ],
    [
      'an address with a port that cannot be',
      channel('"baseUrl": "http://[::1]:99999/v1"'),
      [':5:18: channels.lab.baseUrl: the port of the address is not a number up to 65535'],
    ],
    [
      'an address with a line break behind it',
      channel('"baseUrl": "http://127.0.0.1:80/v1\\n"'),
      [':5:18: channels.lab.baseUrl: the address holds a blank or a line break'],
    ],
    [
      'an address with a password',
      channel('"baseUrl": "http://me:pw-1234@127.0.0.1/v1"'),
      [':5:18: channels.lab.baseUrl: the address must hold no user name or password; use "apiKey" or "headers"'],
    ],
    [
      'a place that the wire API refuses',
      channel('"toolImages": "inline"'),
      [
        ':5:21: channels.lab.toolImages: openai-chat takes the pictures of tools only after the group; expected "after-group" or null',
      ],
    ],
    [
      'an empty key',
      channel('"apiKey": ""'),
      [':5:17: channels.lab.apiKey: expected a text that is not empty, found ""'],
    ],
    [
      'env: without name',
      channel('"apiKey": "env:"'),
      [':5:17: channels.lab.apiKey: after "env:" the name of an environment variable is expected, as in "env:LAB_KEY"'],
    ],
    [
      'a slash in a channel name',
      '{ "channels": { "a/b": { "supplier": "openai" } } }',
      [':1:17: channels["a/b"]: this name cannot be used: a name has no slash and no blank'],
    ],
    [
      'the name of the built-in reader',
      '{ "channels": { "offline": { "supplier": "openai" } } }',
      [':1:17: channels.offline: the name "offline" belongs to the built-in reader; choose another'],
    ],
    [
      'a header that is none',
      channel('"headers": { "bad header": "x" }'),
      [
        ':5:20: channels.lab.headers["bad header"]: this name cannot be used: the name of a header has letters, digits and hyphens',
      ],
    ],
    [
      'a header of two lines',
      channel('"headers": { "x-a": "1\\r\\nx-b: 2" }'),
      [':5:27: channels.lab.headers.x-a: expected a text of one line in characters that HTTP can carry (Latin-1)'],
    ],
    [
      'a header beyond Latin-1',
      channel('"headers": { "x-a": "眼睛" }'),
      [':5:27: channels.lab.headers.x-a: expected a text of one line in characters that HTTP can carry (Latin-1)'],
    ],
    ...['Content-Length', 'connection', 'Transfer-Encoding', 'HOST', 'upgrade', 'expect', 'te'].map(
      (name): [string, string, string[]] => [
        `the header ${name}, which belongs to the connection`,
        channel(`"headers": { "x-a": "1", "${name}": "1" }`),
        [`:5:32: channels.lab.headers.${name}: this header cannot be set: it belongs to the connection`],
      ],
    ),
    ...['a\\nb', 'key-\\u0000', 'ключ', '\\u0085x'].map((key): [string, string, string[]] => [
      `a key that HTTP cannot carry (${key})`,
      channel(`"apiKey": "${key}"`),
      [
        ':5:17: channels.lab.apiKey: the key holds characters that HTTP cannot carry, such as a line break or a letter beyond Latin-1',
      ],
    ]),
    ['a key of blanks', channel('"apiKey": "  "'), [':5:17: channels.lab.apiKey: expected a text that is not empty']],
    [
      'limits that need each other',
      channel('"limits": { "manyImages": { "maxSide": 3 } }'),
      [':5:33: channels.lab.limits.manyImages: either "over" or "from" is needed'],
    ],
    [
      'a key inside an object or null',
      channel('"limits": { "manyImages": { "maxSize": 3 } }'),
      [
        ':5:19: channels.lab.limits.manyImages: missing: "maxSide"',
        ':5:35: channels.lab.limits.manyImages.maxSize: unknown key; did you mean "maxSide"?',
      ],
    ],
    [
      'a relative forbidden path',
      '{ "permissions": { "forbidRead": ["*.secret", "my/secrets"] } }',
      [
        ':1:47: permissions.forbidRead[1]: expected an absolute path, one that starts with ~/, or a bare name such as *.pem',
      ],
    ],
    [
      'an alias that is a way through folders',
      '{ "permissions": { "externalFolders": { ".": "/a", "..": "/b", "..a": "/c" } } }',
      [
        ':1:41: permissions.externalFolders["."]: this name cannot be used: it is reserved',
        ':1:52: permissions.externalFolders[".."]: this name cannot be used: it is reserved',
      ],
    ],
    [
      'a canvas that no machine can hold',
      channel('"limits": { "minSide": 100000 }'),
      [':5:30: channels.lab.limits.minSide: expected a whole number from 1 to 1000, found 100000'],
    ],
    [
      'a relative folder',
      '{ "permissions": { "externalFolders": { "p": "photos" } } }',
      [':1:46: permissions.externalFolders.p: expected an absolute path or one that starts with ~/'],
    ],
    [
      'a server that is neither',
      '{ "mcpServers": { "shots": { "args": [] } } }',
      [':1:19: mcpServers.shots: a server needs either "command" or "url"'],
    ],
    [
      'a repeated key',
      '{\n  "locale": "en",\n  "model": "openai/b",\n  "locale": "zh-CN"\n}',
      [':2:3: locale: this key stands twice in the same object'],
    ],
    [
      'a key that would change the prototype',
      '{ "channels": { "__proto__": { "supplier": "openai" } } }',
      [':1:17: channels.__proto__: this name cannot be used: it is reserved'],
    ],
    [
      'several at once, in the order of the file',
      '{\n  "locale": "fr",\n  "modle": "x/y",\n  "nonVision": 1\n}',
      [
        ':2:13: locale: expected "en" or "zh-CN", found "fr"',
        ':3:3: modle: unknown key; did you mean "model"?',
        ':4:16: nonVision: expected "summary" or "error", found a number',
      ],
    ],
  ])('names line, column and key of %s', async (_, text, lines) => {
    expect(await faultsOf(text)).toEqual(lines);
  });

  it.each<[string, string, string]>([
    ['a missing comma', '{\n  "locale": "en"\n  "model": "a/b"\n}', ':3:3: a comma is missing before this'],
    ['a missing brace', '{\n  "channels": {\n', ':3:1: a closing } is missing'],
    ['a missing bracket', '{ "commands": { "environment": ["A" } }', ':1:37: a closing ] is missing'],
    [
      'a brace that is missing in front of a bracket',
      '{ "mcpServers": { "a": { "args": [{ "b": 1 ] } } }',
      ':1:44: a closing } is missing',
    ],
    ['a missing value', '{\n  "locale":\n}', ':3:1: a value is missing here'],
    ['a missing colon', '{ "locale" "en" }', ':1:12: a colon is missing before this'],
    ['a key without quotes', '{\r\n  locale: "en"\r\n}', ':2:3: this is not JSON; texts and keys need double quotes'],
    ['single quotes', "{ 'locale': 'en' }", ':1:3: this is not JSON; texts and keys need double quotes'],
    ['a text without end', '{ "locale": "en }', ':1:13: this text has no closing double quote'],
    ['an open comment', '{} /* and', ':1:4: this comment is not closed'],
    ...['{}', '}', 'garbage', '"open', '0x', ',', '}}garbage"'].map((rest): [string, string, string] => [
      `something after the end (${rest})`,
      `{}\n${rest}`,
      ':2:1: the file should end here; only comments may follow the closing bracket',
    ]),
    [
      'something unknown before the end',
      '{ "mcpServers": {} x',
      ':1:20: this is not JSON; texts and keys need double quotes',
    ],
    [
      'brackets that are nested too deeply',
      `{ "systemPrompt": "[[[", /* [[[ */\n"channels": ${'['.repeat(100_000)}`,
      ':2:76: brackets are nested too deeply here',
    ],
    [
      'a bad escape',
      '{ "systemPrompt": "\\x41" }',
      ':1:19: this text holds a character or escape that JSON does not allow',
    ],
    ['YAML', 'locale: en\n', ':1:1: this is not JSON; texts and keys need double quotes'],
  ])('names line and column of %s, and nothing that follows from it', async (_, text, line) => {
    expect(await faultsOf(text)).toEqual([line]);
  });

  it('counts lines that end with CR alone, and no byte order mark', async () => {
    expect(await faultsOf('\uFEFF{ "locale": "fr" }')).toEqual([':1:13: locale: expected "en" or "zh-CN", found "fr"']);
    expect(await faultsOf('{\r"locale": "fr"\r}')).toEqual([':2:11: locale: expected "en" or "zh-CN", found "fr"']);
  });

  it('speaks the language that the file or the surroundings name', async () => {
    expect(await faultsOf('{ "locale": "zh-CN", "modle": 1 }')).toEqual([':1:22: modle: 未知的键;是否想写“model”?']);
    expect(await faultsOf('{ "nonVision": 0 }', { LANG: 'zh_CN.UTF-8' })).toEqual([
      ':1:16: nonVision: 应为"summary" 或 "error",实际为数字',
    ]);
  });

  it('gives the problems as data, too', async () => {
    const loaded = await loadText('{\n  "modle": 1\n}');
    expect(loaded).toMatchObject({
      ok: false,
      error: {
        code: 'CONFIG_INVALID',
        data: { file, problems: [{ line: 2, column: 3, key: 'modle', message: 'unknown key; did you mean "model"?' }] },
      },
    });
  });
});

describe('loadConfig: files that cannot be read', () => {
  const loadNamed = async (name: string) => {
    const loaded = await loadConfig({ home, file: name, environment: {} });
    return loaded.ok ? undefined : [loaded.error.code, loaded.error.message];
  };

  it('refuses a named file that is missing', async () => {
    const name = join(home, 'other.jsonc');
    expect(await loadNamed(name)).toEqual(['CONFIG_INVALID', `${name}: the configuration file does not exist`]);
  });

  it('refuses a folder', async () => {
    const name = join(home, 'folder');
    await mkdir(name);
    const message = `${name}: this is a folder; a configuration file was expected`;
    expect(await loadNamed(name)).toEqual(['CONFIG_INVALID', message]);
    await rm(file, { force: true });
    await mkdir(file);
    expect(await load()).toMatchObject({ ok: false, error: { code: 'CONFIG_INVALID' } });
    await rm(file, { recursive: true });
  });

  it.runIf(process.platform !== 'win32').each([
    ['a pipe', (name: string) => execFileSync('mkfifo', [name])],
    ['a link to a device', (name: string) => symlink('/dev/zero', name)],
  ])('neither waits for nor reads %s', async (kind, put) => {
    const name = join(home, kind.replaceAll(' ', '-'));
    await put(name);
    const message = `${name}: this is a pipe, device or socket; a configuration file was expected`;
    expect(await loadNamed(name)).toEqual(['CONFIG_INVALID', message]);
  });

  it('refuses a file of more than 1 MiB, whatever is in it, and takes one of 1 MiB', async () => {
    expect(await faultsOf(`{}${' '.repeat(1024 * 1024 - 1)}`)).toEqual([
      ': the configuration file is larger than 1 MiB',
    ]);
    expect(await faultsOf(`{}${' '.repeat(1024 * 1024 - 2)}`)).toEqual([]);
    await truncate(file, 10 ** 12);
    expect(await load()).toMatchObject({
      ok: false,
      error: { message: `${file}: the configuration file is larger than 1 MiB` },
    });
    await writeFile(file, '{}');
  });

  it('lists no more faults than anybody reads', async () => {
    const keys = Array.from({ length: 80_000 }, (_unused, index) => `"k${index}":0`);
    expect(await faultsOf(`{${keys.join()}}`)).toHaveLength(100);
    expect(await faultsOf(`{${keys.slice(0, 40).join()}}`)).toHaveLength(40);
  });

  it('refuses text that is not UTF-8', async () => {
    const message = ': the configuration file is not UTF-8 text; save it as UTF-8';
    expect(await faultsOf(Buffer.from('\uFEFF{ "locale": "en" }', 'utf16le'))).toEqual([message]);
    expect(await faultsOf(Buffer.from([0x7b, 0x22, 0xe9, 0x22, 0x7d]))).toEqual([message]);
  });

  it('says why a file cannot be opened', async () => {
    const name = join(home, 'config.jsonc', 'inside.jsonc');
    await writeFile(file, '{}');
    expect(await loadNamed(name)).toEqual([
      'CONFIG_INVALID',
      `${name}: the configuration file cannot be read (ENOTDIR)`,
    ]);
  });
});
