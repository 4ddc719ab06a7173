import type { Locale } from '@fovea/core/base';
import { suppliers } from '@fovea/core/catalog';
import { type Message, type QueueSnapshot, type Session, textOf } from '@fovea/core/content';
import { type Fovea, type ModelChoice, spokenWireApis } from '@fovea/server';
import type { CommandContext } from '../command-context.ts';
import { heldLine, queueLines, waitingItems } from '../queue-lines.ts';
import { describeEyes } from './find-model.ts';

const SHOWN_VARIABLES = 5;
/** So many of the newest messages are looked through for the last exchange. */
const SHOWN_MESSAGES = 30;
const SHOWN_ANSWER_LINES = 3;

export interface OpeningLine {
  readonly text: string;
  /** Not news, but what was said earlier. */
  readonly isDim: boolean;
}

/** What the chat says before the first prompt: who answers, where, and what was said last. */
export async function openingLines(chat: {
  readonly fovea: Fovea;
  readonly context: CommandContext;
  readonly model: ModelChoice;
  readonly workspace: string;
  readonly session: Session | undefined;
  /** What waits in the session. */
  readonly queue: QueueSnapshot | undefined;
}): Promise<readonly OpeningLine[]> {
  const { fovea, context, model, workspace, session, queue } = chat;
  const { texts } = context;
  const lines: string[] = [];
  if (await isWithoutModel(model, fovea)) {
    lines.push(texts.chatWelcomeReader(workspace), texts.chatNoModel(listKeyVariables(), context.configFile));
  } else {
    lines.push(texts.chatWelcome(model.id, describeEyes(model, texts), workspace));
  }
  lines.push(session === undefined ? texts.chatHint : texts.chatContinued(session.title, session.id));
  const earlier =
    session === undefined ? [] : lastExchange(await fovea.loadMessages(session.id, { limit: SHOWN_MESSAGES }));
  const waiting = queue === undefined ? [] : waitingLines(queue, context.locale);
  return [
    ...lines.map((text) => ({ text, isDim: false })),
    ...earlier.map((text) => ({ text, isDim: true })),
    ...waiting.map((text) => ({ text, isDim: false })),
  ];
}

/** What waits since the conversation was left, and why it does not go on by itself. */
function waitingLines(queue: QueueSnapshot, locale: Locale): readonly string[] {
  const held = heldLine(queue, locale);
  const waiting = { ...queue, items: waitingItems(queue) };
  return [...queueLines(waiting, { locale }), ...(held === undefined ? [] : [held])];
}

async function isWithoutModel(model: ModelChoice, fovea: Fovea): Promise<boolean> {
  if (model.origin !== 'built-in') return false;
  return (await fovea.listModels()).every((choice) => choice.origin === 'built-in');
}

/** Keys with which a model of a supplier can be used that this build speaks to. */
function listKeyVariables(): readonly string[] {
  const variables = suppliers.flatMap(({ environmentKey, endpoints }) => {
    const isSpoken = endpoints.some(({ wireApi, baseUrl }) => spokenWireApis.has(wireApi) && baseUrl !== undefined);
    return environmentKey !== undefined && isSpoken ? [environmentKey] : [];
  });
  return variables.length > SHOWN_VARIABLES ? [...variables.slice(0, SHOWN_VARIABLES), '…'] : variables;
}

/** The last line of the user and how the last answer to it began. */
function lastExchange(transcript: readonly Message[]): readonly string[] {
  const start = transcript.findLastIndex((message) => message.role === 'user');
  const question = transcript[start];
  if (question?.role !== 'user') return [];
  const answers = transcript.slice(start).flatMap((message) => (message.role === 'assistant' ? [textOf(message)] : []));
  const answer = linesOf(answers.findLast((text) => text.trim() !== '') ?? '');
  const shown = answer.slice(0, SHOWN_ANSWER_LINES);
  return [`› ${linesOf(question.content).at(-1) ?? ''}`, ...shown, ...(answer.length > shown.length ? ['…'] : [])];
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}
