import { realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { createPromptHead, createSecretMask } from '@fovea/core/agent';
import type { FileAccess } from '@fovea/core/attachments';
import {
  type AppError,
  type Clock,
  fail,
  type IdSource,
  isoTime,
  isRecord,
  type Locale,
  ok,
  type Result,
  type Secret,
} from '@fovea/core/base';
import type { ImageInputCapability } from '@fovea/core/catalog';
import type { Session } from '@fovea/core/content';
import { STORAGE_REVISION } from '@fovea/core/store';
import type { Tool } from '@fovea/core/tools';
import type { Config } from './config/config.ts';
import { localizedError } from './localized-error.ts';
import { readInstructions } from './read-instructions.ts';
import { serverTexts } from './texts.ts';

/** The real path of a workspace folder; fails with `NOT_FOUND`, whatever stands there instead. */
export async function findWorkspace(path: string, locale: Locale): Promise<Result<string, AppError>> {
  const texts = serverTexts(locale);
  // Node takes it for the current folder.
  if (path.trim() === '') return fail(localizedError('NOT_FOUND', texts.workspaceEmpty, { data: { workspace: path } }));
  try {
    const workspace = await realpath(path);
    if ((await stat(workspace)).isDirectory()) return ok(workspace);
    return fail(localizedError('NOT_FOUND', texts.workspaceNoFolder(path), { data: { workspace: path } }));
  } catch (error) {
    const code = isRecord(error) ? error['code'] : undefined;
    const message = code === 'ENOTDIR' ? texts.workspaceNoFolder(path) : texts.workspaceMissing(path);
    return fail(localizedError('NOT_FOUND', message, { data: { workspace: path }, cause: error }));
  }
}

export interface NewSession {
  /** Absolute and real, as {@link findWorkspace} gives it. */
  readonly workspace: string;
  readonly externalFolders: Readonly<Record<string, string>>;
  readonly access: FileAccess;
  readonly model: { readonly id: string; readonly imageInput: ImageInputCapability };
  readonly config: Pick<Config, 'locale' | 'permissions' | 'systemPrompt'>;
  readonly tools: readonly Tool[];
  /** What may be stored of no file. */
  readonly secrets: readonly Secret[];
  readonly clock: Clock;
  readonly ids: IdSource;
}

/** A session with everything that never changes in it; it is not stored here. */
export async function createSession(input: NewSession): Promise<Session> {
  const { workspace, model, config, tools, clock, ids } = input;
  const createdAt = isoTime(clock);
  const instructions = createSecretMask(input.secrets).value(await readInstructions(input.access));
  const promptHead = createPromptHead({
    locale: config.locale,
    workspaceName: basename(workspace) || workspace,
    platform: process.platform,
    date: createdAt.slice(0, 'yyyy-mm-dd'.length),
    imageInput: model.imageInput,
    tools: tools.map((tool) => tool.definition(config.locale)),
    systemPrompt: config.systemPrompt,
    ...(instructions === undefined ? {} : { instructions }),
  });
  return {
    id: ids.next('ses'),
    title: '',
    workspace,
    externalFolders: input.externalFolders,
    owner: 'local',
    model: model.id,
    profile: config.permissions.profile,
    modelLocale: config.locale,
    promptHead,
    storageRevision: STORAGE_REVISION,
    createdAt,
    updatedAt: createdAt,
  };
}

/** So many characters of the first text name a session. */
const LONGEST_TITLE = 80;

/** A session's title: the first line of what was asked first, else the first picture's name. */
export function titleFrom(text: string, attachments: readonly string[]): string {
  const line = text
    .split(/[\r\n]+/)
    .map((one) => one.trim())
    .find((one) => one !== '');
  const title = line ?? (attachments[0] === undefined ? '' : basename(attachments[0]));
  const characters = [...title];
  return characters.length <= LONGEST_TITLE ? title : `${characters.slice(0, LONGEST_TITLE - 1).join('')}…`;
}
