import { isAbsolute } from 'node:path';
import type { Locale } from '@fovea/core/base';
import { findSupplierEndpoint, suppliers } from '@fovea/core/catalog';
import { findClosestName } from '../closest-name.ts';
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
  if (channel.apiKey?.startsWith('env:') === true && !/^env:[A-Za-z_]\w*$/.test(channel.apiKey)) {
    check.report([...path, 'apiKey'], texts.badKeyVariable);
  }
  const many = channel.limits?.manyImages;
  if (many !== undefined && many !== null && (many.over === undefined) === (many.from === undefined)) {
    check.report([...path, 'limits', 'manyImages'], texts.overOrFrom);
  }
}

interface ChannelCheck {
  readonly path: KeyPath;
  readonly texts: ConfigTexts;
  readonly check: MeaningCheck;
}

function checkBaseUrl({ baseUrl }: ChannelConfig, { path, texts, check }: ChannelCheck): void {
  if (baseUrl === undefined) return;
  if (!URL.canParse(baseUrl)) {
    check.report([...path, 'baseUrl'], texts.badValue(texts.expectations.webAddress, undefined));
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
