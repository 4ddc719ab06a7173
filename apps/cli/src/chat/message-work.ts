import { toAppError } from '@fovea/core/base';
import type { QueueIntent, SequencedEvent } from '@fovea/core/content';
import { chatTexts } from './chat-texts.ts';
import type { Composer } from './composer.ts';
import type { Conversation } from './conversation.ts';
import { addToHistory } from './history-file.ts';
import { describeMessage, type EnteredMessage } from './message-queue.ts';
import { obeyCommand } from './obey-command.ts';
import type { RunningTurn } from './running-turn.ts';
import { SessionFeed } from './session-feed.ts';
import { parseSlashCommand, type SlashCommand } from './slash-command.ts';
import { submitMessage } from './submit-message.ts';
import { TurnStage } from './turn-stage.ts';

/** How often what waits is looked at while a turn is shown: others may change it. */
const LOOK_MS = 500;

export interface MessageWorkOptions {
  readonly chat: Conversation;
  readonly composer: Composer;
  /** Where the lines that were entered are kept; absent: nowhere. */
  readonly historyFile?: string;
  /** How many messages wait, and the pictures that go with the next one. */
  readonly statusText: () => string;
  readonly onIdle: () => void;
}

/**
 * Deals with what was entered, and shows what the session does: messages go into its durable queue
 * at once, commands wait here until nothing runs.
 */
export class MessageWork {
  readonly #options: MessageWorkOptions;
  readonly #stage: TurnStage;
  readonly #feed: SessionFeed;
  #submissions: Promise<void> = Promise.resolve();
  #obeying: Promise<void> | undefined;
  #ending: Promise<void> | undefined;
  #toldWaiting = 0;
  #looks = 0;
  readonly #toldBlocked = new Set<string>();
  #lookTimer: NodeJS.Timeout | undefined;

  constructor(options: MessageWorkOptions) {
    const { chat, statusText } = options;
    const { editor, context, terminal } = chat;
    this.#options = options;
    this.#stage = new TurnStage({
      editor,
      terminal,
      locale: context.locale,
      hasColors: context.hasColors,
      isPlain: terminal.isPlain === true,
      prompt: statusText,
      onStop: () => void this.#stopTurn(),
    });
    this.#feed = new SessionFeed({
      fovea: chat.fovea,
      onEvent: (told) => this.#takeEvent(told),
      onFailure: (error) => this.#fail(error),
    });
  }

  /** A message is being answered, or a command obeyed: commands wait. */
  get isActive(): boolean {
    return this.#stage.running !== undefined || this.#obeying !== undefined;
  }

  /** The turn that is being answered, or is about to begin. */
  get running(): RunningTurn | undefined {
    return this.#stage.running;
  }

  /** The first of the messages that wait begins in a moment: it waits for nothing. */
  get isBeginning(): boolean {
    const { waiting } = this.#options.chat;
    const isRunning = waiting.snapshot?.items.some(({ state }) => state === 'running') === true;
    return this.running !== undefined && this.#stage.turnId === undefined && !isRunning;
  }

  /** Deals with a message or command, or keeps it behind what waits here. */
  enter(message: EnteredMessage): void {
    const isCommand = parseSlashCommand(message.line) !== undefined;
    const { local } = this.#options.chat.waiting;
    if (this.isActive && (isCommand || local.count > 0)) local.add(message);
    else if (isCommand) void this.#obey(message);
    else this.submit(message, { isShown: !this.isActive });
  }

  /** Puts a message into the session's queue. A steering one joins the running turn. */
  submit(message: EnteredMessage, how: { readonly isShown: boolean; readonly intent?: QueueIntent }): void {
    const { waiting } = this.#options.chat;
    if (this.#ending !== undefined) {
      waiting.local.add(message);
      return;
    }
    waiting.beginSubmitting(message);
    this.#open();
    this.#submissions = this.#submissions.then(() => this.#submit(message, how));
  }

  /** Lets everything go on that waits for the user. */
  async goOn(): Promise<void> {
    const { waiting, session, fovea } = this.#options.chat;
    waiting.local.resume();
    this.#toldWaiting = 0;
    if (session !== undefined && waiting.heldCount > 0) await fovea.resumeQueue(session.id);
    await this.look();
  }

  /** Works on the chat's session from now on, and shows what it does. */
  async attend(): Promise<void> {
    const { fovea, session, waiting, voice } = this.#options.chat;
    waiting.forget();
    if (session === undefined) {
      this.#feed.stop();
      return;
    }
    try {
      await fovea.attendSession(session.id, this.#approver);
    } catch (error) {
      // What is stored can still be read.
      voice.complainOf(toAppError(error));
    }
    await waiting.refresh(session.id);
    this.#feed.turnTo(session.id);
  }

  /** Resolves when everything that was entered is in the session's queue, or refused. */
  settle(): Promise<void> {
    return this.#submissions;
  }

  /** Stops what runs here, and begins nothing more. Resolves when it is over. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  /** Does what a command about the draft or the queue asks for, at once. */
  async obeyNow(command: SlashCommand, line: string): Promise<void> {
    await this.#keep(line);
    await this.#submissions;
    await obeyCommand(command, this.#options.chat);
    await this.look();
  }

  /** Looks at what waits, and begins what may begin. Never throws. */
  async look(): Promise<void> {
    const { waiting, session } = this.#options.chat;
    this.#looks += 1;
    const look = this.#looks;
    try {
      await waiting.refresh(session?.id);
    } catch (error) {
      this.#fail(error);
      return;
    }
    // A later one knows more.
    if (look !== this.#looks) return;
    this.#tellBlocked();
    const isExpecting = waiting.isSubmitting || waiting.isGoingOn;
    if (isExpecting && this.#ending === undefined) this.#open();
    else if (this.#stage.turnId === undefined) this.#close();
    this.#advance();
  }

  readonly #approver: Conversation['approver'] = {
    decide: (request, signal) => this.#open().approver.decide(request, signal),
  };

  get approver(): Conversation['approver'] {
    return this.#approver;
  }

  #open(): RunningTurn {
    this.#lookTimer ??= setInterval(() => void this.#lookAfterOthers(), LOOK_MS).unref();
    return this.#stage.open();
  }

  #close(): void {
    clearInterval(this.#lookTimer);
    this.#lookTimer = undefined;
    this.#stage.close();
  }

  /** What another process left when it died is settled by whoever looks. */
  async #lookAfterOthers(): Promise<void> {
    const { fovea, session, waiting } = this.#options.chat;
    if (session === undefined || this.#ending !== undefined) return;
    try {
      const holder = await fovea.findSessionHolder(session.id);
      if (holder === undefined && waiting.isGoingOn) await fovea.attendSession(session.id, this.#approver);
    } catch (error) {
      this.#fail(error);
      return;
    }
    await this.look();
  }

  async #submit(
    message: EnteredMessage,
    how: { readonly isShown: boolean; readonly intent?: QueueIntent },
  ): Promise<void> {
    const { chat } = this.#options;
    await this.#keep(message.line).catch((error: unknown) => chat.voice.complainOf(toAppError(error)));
    const turnId = await submitMessage(message, { chat, intent: how.intent, attend: () => this.attend() });
    chat.waiting.endSubmitting({ message, isShown: how.isShown }, turnId);
    if (chat.session !== undefined) this.#feed.turnTo(chat.session.id);
    if (turnId === undefined) this.#putBack(message);
    void this.look();
  }

  /** What was not taken is still the user's. */
  #putBack(message: EnteredMessage): void {
    const { chat, composer } = this.#options;
    const { editor, draft, waiting, voice, context } = chat;
    if (this.#ending === undefined) voice.say(context.texts.chatDraftKept);
    // Something else is being put together already: then it waits, before everything else.
    if (editor.text === '' && draft.attachments.length === 0) composer.putBack(message);
    else waiting.local.putFirst(message);
    waiting.local.pause();
  }

  async #takeEvent({ turnId, event }: SequencedEvent): Promise<void> {
    if (this.#stage.turnId !== turnId) await this.#beginTurn(turnId);
    this.#stage.show(event);
    if (event.type !== 'turn-end') return;
    if (event.status !== 'completed') this.#options.chat.waiting.local.pause();
    this.#close();
    await this.look();
  }

  async #beginTurn(turnId: string): Promise<void> {
    const { fovea, session, waiting, voice } = this.#options.chat;
    // The receipt of a message that was just entered may be on its way.
    if (!waiting.isOwn(turnId)) await this.#submissions;
    if (this.#stage.turnId !== undefined) this.#close();
    const running = this.#open();
    this.#stage.turnId = turnId;
    if (session !== undefined) {
      await waiting.refresh(session.id);
      const holder = await fovea.findSessionHolder(session.id);
      this.#stage.otherPid = holder === undefined || holder.isHere ? undefined : holder.pid;
    }
    const line = waiting.lineOf(turnId);
    if (line !== undefined) voice.say(`› ${line}`);
    if (running.signal.aborted) await this.#stopTurn();
  }

  /** A turn that has not begun is stopped when it begins. */
  async #stopTurn(): Promise<void> {
    const { fovea, session, voice, context } = this.#options.chat;
    const { turnId, otherPid } = this.#stage;
    if (session === undefined || (turnId === undefined && this.#ending === undefined)) return;
    if (otherPid !== undefined) {
      if (this.#ending === undefined) voice.say(chatTexts(context.locale).runsElsewhere(otherPid));
      return;
    }
    this.#stage.sayStopping();
    await fovea.stopTurn(session.id);
  }

  /** What waits here, when nothing runs. */
  #advance(): void {
    const { waiting, voice, context } = this.#options.chat;
    if (this.isActive || this.#ending !== undefined) return;
    const next = waiting.local.takeNext();
    if (next !== undefined) {
      if (parseSlashCommand(next.line) === undefined) this.submit(next, { isShown: false });
      else {
        voice.say(`› ${describeMessage(next)}`);
        void this.#obey(next);
      }
      return;
    }
    const { count } = waiting;
    if (count > 0 && count !== this.#toldWaiting) {
      const texts = chatTexts(context.locale);
      const isForUser = waiting.heldCount > 0 || waiting.local.count > 0;
      voice.say(isForUser ? texts.queuePaused(count) : texts.queueUndecided(count));
    }
    this.#toldWaiting = count;
    this.#options.onIdle();
  }

  /** Never throws. */
  async #obey(message: EnteredMessage): Promise<void> {
    const { chat } = this.#options;
    const work = async (): Promise<void> => {
      try {
        await this.#keep(message.line);
        const command = parseSlashCommand(message.line);
        if (command !== undefined) await obeyCommand(command, chat);
      } catch (error) {
        // Whatever went wrong, the conversation is still there.
        chat.voice.complainOf(toAppError(error));
      }
    };
    this.#obeying = work();
    await this.#obeying;
    this.#obeying = undefined;
    await this.look();
  }

  async #end(): Promise<void> {
    const { fovea, session, waiting } = this.#options.chat;
    await this.#submissions;
    const { running, otherPid } = this.#stage;
    if (session !== undefined && running !== undefined && otherPid === undefined) {
      running.stop();
      if (await fovea.stopTurn(session.id)) await this.#stage.closed;
    }
    this.#close();
    this.#feed.stop();
    await waiting.refresh(this.#options.chat.session?.id).catch(() => undefined);
    await this.#obeying;
  }

  #tellBlocked(): void {
    const { waiting, voice } = this.#options.chat;
    for (const { id, state, error } of waiting.snapshot?.items ?? []) {
      if (state !== 'blocked' || error === undefined || this.#toldBlocked.has(id)) continue;
      this.#toldBlocked.add(id);
      voice.complainOf(toAppError(error));
    }
  }

  /** The store cannot be read, or the work on the session failed: the conversation is still there. */
  #fail(error: unknown): void {
    if (this.#ending !== undefined) {
      this.#close();
      return;
    }
    this.#options.chat.voice.complainOf(toAppError(error));
    this.#options.chat.waiting.local.pause();
    this.#close();
    this.#options.onIdle();
  }

  /** Earlier lines are there again in the next conversation, pasted texts as they were. */
  async #keep(line: string): Promise<void> {
    const { historyFile, chat } = this.#options;
    if (historyFile !== undefined) await addToHistory(historyFile, chat.draft.expand(line));
  }
}
