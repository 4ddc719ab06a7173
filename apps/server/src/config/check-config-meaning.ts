import { isAbsolute } from 'node:path';
import type { Locale } from '@fovea/core/base';
import { findSupplier, findSupplierEndpoint, models, suppliers } from '@fovea/core/catalog';
import { isSendableKey } from '../channels/sendable-key.ts';
import { findClosestName } from '../closest-name.ts';
import { parseModelReference } from '../model-reference.ts';
import { serverTexts } from '../texts.ts';
import type { KeyPath } from './config-problem.ts';
import type { ChannelConfig, ConfigFile } from './config-schema.ts';
import { type ConfigTexts, configTexts } from './texts.ts';

/** The channel of the built-in reader. */
export const OFFLINE_CHANNEL = 'offline';

interface MeaningCheck {
  readonly locale: Locale;
  report(path: KeyPath, message: string, at?: 'key' | 'value'): void;
}

/** What the schema cannot say: suppliers of the catalogue, keys that need each other, kinds of paths. */
export function checkConfigMeaning(file: ConfigFile, check: MeaningCheck): void {
  const texts = configTexts(check.locale);
  for (const [name, channel] of Object.entries(file.channels ?? {})) {
    checkChannel({ name, channel, texts, check });
  }
  checkModelReference('model', file, check);
  checkModelReference('visionModel', file, check);
  for (const [name, server] of Object.entries(file.mcpServers ?? {})) {
    const isOneGiven = (server.command === undefined) !== (server.url === undefined);
    if (!isOneGiven) check.report(['mcpServers', name], texts.commandOrUrl, 'key');
  }
  for (const [index, path] of (file.permissions?.forbidRead ?? []).entries()) {
    if (!isWholePath(path) && /[\\/]/.test(path)) {
      check.report(['permissions', 'forbidRead', index], texts.pathOrName);
    }
  }
  for (const [alias, path] of Object.entries(file.permissions?.externalFolders ?? {})) {
    const isWay = alias === '.' || alias === '..';
    if (isWay) check.report(['permissions', 'externalFolders', alias], texts.badName(texts.names.reserved), 'key');
    if (!isWholePath(path)) check.report(['permissions', 'externalFolders', alias], texts.pathNotAbsolute);
  }
}

function checkChannel(input: {
  readonly name: string;
  readonly channel: ChannelConfig;
  readonly texts: ConfigTexts;
  readonly check: MeaningCheck;
}): void {
  const { name, channel, texts, check } = input;
  const path = ['channels', name];
  if (name === OFFLINE_CHANNEL) check.report(path, texts.reservedChannel(name), 'key');
  const known = suppliers.map((supplier) => supplier.id).filter((id) => id !== OFFLINE_CHANNEL);
  if (!known.includes(channel.supplier)) {
    const closest = findClosestName(channel.supplier, known);
    check.report([...path, 'supplier'], texts.unknownSupplier(channel.supplier, closest, known));
  } else if (
    channel.baseUrl === undefined &&
    findSupplierEndpoint(channel.supplier, channel.wireApi)?.baseUrl === undefined
  ) {
    check.report(path, texts.baseUrlNeeded(channel.supplier), 'key');
  }
  checkBaseUrl(channel, { path, texts, check });
  checkToolImages(channel, { path, texts, check });
  checkKey(channel, { path, texts, check });
  for (const header of Object.keys(channel.headers ?? {})) {
    const isReserved = CONNECTION_HEADERS.has(header.toLowerCase());
    if (isReserved) check.report([...path, 'headers', header], texts.reservedHeader, 'key');
  }
  const many = channel.limits?.manyImages;
  if (many !== undefined && many !== null && (many.over === undefined) === (many.from === undefined)) {
    check.report([...path, 'limits', 'manyImages'], texts.overOrFrom);
  }
}

/** A model that could never be found. What keys and servers of the surroundings may offer is not judged. */
function checkModelReference(key: 'model' | 'visionModel', file: ConfigFile, check: MeaningCheck): void {
  const reference = parseModelReference(file[key]?.trim() ?? '');
  if (reference === undefined) return;
  const channels = file.channels ?? {};
  const { channel, model } = reference;
  const texts = serverTexts(check.locale);
  if (!Object.hasOwn(channels, channel) && channel !== OFFLINE_CHANNEL) {
    const known = [...Object.keys(channels), OFFLINE_CHANNEL];
    if (mayBeFound(channel, channels)) return;
    check.report([key], texts.unknownChannel(channel, findClosestName(channel, known), known));
    return;
  }
  const known = listOnlyModels(channel, channels);
  if (known === undefined || known.includes(model)) return;
  check.report([key], texts.unknownModel({ channel, model, closest: findClosestName(model, known), known }));
}

/** Whether the surroundings may make a channel of this name: by a key, or where no channel is named by a server. */
function mayBeFound(name: string, channels: NonNullable<ConfigFile['channels']>): boolean {
  const supplier = findSupplier(name);
  if (supplier === undefined) return false;
  return supplier.environmentKey !== undefined || (supplier.isLocal && Object.keys(channels).length === 0);
}

/** The models of a channel that has no others; `undefined` where any model may be asked for. */
function listOnlyModels(name: string, channels: NonNullable<ConfigFile['channels']>): readonly string[] | undefined {
  if (name === OFFLINE_CHANNEL) return models.filter((row) => row.supplier === OFFLINE_CHANNEL).map((row) => row.id);
  const own = channels[name]?.models;
  return own === undefined ? undefined : Object.keys(own);
}

/** Headers that say how a message is cut out of the stream of bytes, or where it goes. Source: RFC 9110 and 9112. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

interface ChannelCheck {
  readonly path: KeyPath;
  readonly texts: ConfigTexts;
  readonly check: MeaningCheck;
}

function checkKey({ apiKey }: ChannelConfig, { path, texts, check }: ChannelCheck): void {
  if (apiKey === undefined) return;
  const keyPath = [...path, 'apiKey'];
  if (apiKey.startsWith('env:')) {
    if (!/^env:[A-Za-z_]\w*$/.test(apiKey)) check.report(keyPath, texts.badKeyVariable);
  } else if (apiKey.trim() === '') {
    check.report(keyPath, texts.badValue(texts.expectations.nonEmptyText, undefined));
  } else if (!isSendableKey(apiKey.trim())) {
    check.report(keyPath, texts.badKeyCharacters);
  }
}

function checkBaseUrl({ baseUrl }: ChannelConfig, { path, texts, check }: ChannelCheck): void {
  if (baseUrl === undefined) return;
  if (!URL.canParse(baseUrl)) {
    const isHostValid = URL.canParse(baseUrl.replace(/^(https?:\/\/[^/?#]*):[^/?#:\]]*/, '$1'));
    check.report([...path, 'baseUrl'], isHostValid ? texts.badPort : texts.badHost);
    return;
  }
  const { username, password } = new URL(baseUrl);
  // It would show up in messages and logs.
  if (username !== '' || password !== '') check.report([...path, 'baseUrl'], texts.passwordInUrl);
}

/** Chat Completions refuses pictures outside of user messages, whoever the supplier is (decision X20). */
function checkToolImages(channel: ChannelConfig, { path, texts, check }: ChannelCheck): void {
  const wireApi = channel.wireApi ?? findSupplierEndpoint(channel.supplier)?.wireApi;
  if (channel.toolImages === 'inline' && wireApi === 'openai-chat') {
    check.report([...path, 'toolImages'], texts.noInlineOnChat);
  }
}

function isWholePath(path: string): boolean {
  return isAbsolute(path) || path === '~' || /^~[\\/]/.test(path);
}
