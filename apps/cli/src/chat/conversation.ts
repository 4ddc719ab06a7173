import type { Approver } from '@fovea/core/agent';
import type { Session } from '@fovea/core/content';
import type { Fovea, ModelChoice } from '@fovea/server';
import type { CommandContext } from '../command-context.ts';
import type { Draft } from './draft.ts';
import type { DraftPictures } from './draft-pictures.ts';
import type { LineEditor } from './line-editor.ts';
import type { Terminal } from './terminal.ts';
import type { Voice } from './voice.ts';
import type { WaitingMessages } from './waiting-messages.ts';

/** What commands read and change of a conversation. */
export interface Conversation {
  readonly fovea: Fovea;
  readonly context: CommandContext;
  readonly workspace: string;
  readonly draft: Draft;
  readonly pictures: DraftPictures;
  readonly waiting: WaitingMessages;
  /** Asks the user about the calls of turns that run here. */
  readonly approver: Approver;
  readonly voice: Voice;
  readonly terminal: Terminal;
  /** The line that is being typed. */
  readonly editor: LineEditor;
  /** Ids of the conversations as they were listed last: a number means one of them. */
  listedSessions: readonly string[];
  /** `channel/model` and what is known of it: who answers next. */
  model: ModelChoice;
  /** Absent before the first message of a new conversation. */
  session: Session | undefined;
  /** Tells of a session that is gone on with. */
  greet(): Promise<void>;
  /** Puts a message into the queue that joins the running turn, with the pictures of the draft. */
  steer(text: string): void;
  /** Works on the session from now on, and shows what it does. */
  attend(): Promise<void>;
  /** Lets everything go on that waits for the user. */
  goOn(): Promise<void>;
  leave(): void;
}
