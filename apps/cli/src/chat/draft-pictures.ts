import { formatBytes, type Refusal, type Result } from '@fovea/core/base';
import { refusalText } from '@fovea/core/content';
import type { Fovea } from '@fovea/server';
import type { CommandContext } from '../command-context.ts';
import { nearFileHint } from '../suggest-file-name.ts';
import { type AttachedFile, type AttachSurroundings, attachBytes, attachFile, findSource } from './attach-file.ts';
import { readClipboardPicture } from './clipboard-picture.ts';
import type { Draft } from './draft.ts';
import { findTypedPaths } from './find-typed-paths.ts';
import { parsePastedPaths } from './parse-pasted-paths.ts';
import type { Voice } from './voice.ts';

const PICTURE_NAME = /\.(?:png|jpe?g|gif|webp|heic|avif|bmp|tiff?)$/i;

export interface DraftPicturesOptions {
  readonly fovea: Fovea;
  readonly context: CommandContext;
  readonly workspace: string;
  readonly homeFolder: string;
  readonly draft: Draft;
  readonly voice: Voice;
}

/** Pictures that come into the draft: typed, pasted, dropped or from the clipboard; and out again. */
export class DraftPictures {
  readonly #options: DraftPicturesOptions;

  constructor(options: DraftPicturesOptions) {
    this.#options = options;
  }

  /** The paths of pictures in a paste; none when it is text. */
  pathsIn(pasted: string): readonly string[] {
    return parsePastedPaths(pasted, this.#options).filter((path) => PICTURE_NAME.test(path));
  }

  async attachTyped(typed: string): Promise<void> {
    const { draft, voice, context } = this.#options;
    if (typed.trim() === '') {
      if (draft.attachments.length === 0) voice.say(context.texts.chatNothingAttached);
      for (const file of draft.attachments) this.#sayAttached(file);
      return;
    }
    for (const path of await findTypedPaths(typed, this.#options)) await this.attach(path);
  }

  async attach(path: string): Promise<void> {
    const { draft, workspace, voice, context } = this.#options;
    const attached = draft.findAttached(await findSource(path, workspace));
    if (attached === undefined) await this.#accept(await attachFile(path, this.#surroundings));
    else voice.say(context.texts.chatAttachedAlready(attached.path));
  }

  async attachClipboard(): Promise<void> {
    const { draft, workspace, voice, context } = this.#options;
    const bytes = await readClipboardPicture();
    if (bytes === undefined) {
      voice.complain(context.texts.chatNoClipboard);
      return;
    }
    const attached = draft.findAttached(await findSource(bytes, workspace));
    if (attached === undefined) await this.#accept(await attachBytes(bytes, 'pasted.png', this.#surroundings));
    else voice.say(context.texts.chatAttachedAlready(attached.path));
  }

  detach(position: number | undefined): void {
    const { draft, voice, context } = this.#options;
    const taken = draft.detach(position);
    if (taken.length === 0) {
      const count = draft.attachments.length;
      if (count === 0) voice.say(context.texts.chatNothingAttached);
      else voice.complain(context.texts.chatNoSuchAttachment(count));
    }
    for (const file of taken) voice.say(context.texts.chatDetached(file.path));
  }

  async #accept(attached: Result<AttachedFile, Refusal>): Promise<void> {
    const { draft, voice, context } = this.#options;
    if (!attached.ok) {
      const { code, name } = attached.error;
      const hint = code === 'NOT_FOUND' ? await nearFileHint(name, this.#surroundings) : '';
      voice.complain(`${refusalText(attached.error, context.locale)}${hint}`);
      return;
    }
    draft.attach(attached.value);
    this.#sayAttached(attached.value);
  }

  #sayAttached(file: AttachedFile): void {
    const { voice, context } = this.#options;
    const { mediaType, widthPx, heightPx, sizeBytes } = file.inspection;
    voice.say(context.texts.chatAttached(file.path, `${mediaType}, ${widthPx}×${heightPx}, ${formatBytes(sizeBytes)}`));
  }

  get #surroundings(): AttachSurroundings {
    const { fovea, workspace, context } = this.#options;
    return { fovea, workspace, signal: context.signal, texts: context.texts };
  }
}
