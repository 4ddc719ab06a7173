import { resolve } from 'node:path';
import type { FoveaEvent, Session } from '@fovea/core/content';
import { type ConsentInAdvance, createApprover, type Fovea, SENDER_LEFT } from '@fovea/server';
import type { CommandContext } from '../command-context.ts';
import { type ExitCode, exitCodeOf, exitCodes } from '../exit-codes.ts';
import { readStandardInput } from '../read-standard-input.ts';
import { printTurn } from '../render/print-turn.ts';
import { findRequestedSession, type SessionOptions } from '../resolve-session.ts';
import { addFileHints } from '../suggest-file-name.ts';
import { leaveWhenHeld, tellWaiting } from '../tell-waiting.ts';
import { usageError } from '../usage-error.ts';

export interface RunOptions extends SessionOptions {
  readonly attach: readonly string[];
  readonly json: boolean;
  /** What is allowed beforehand. */
  readonly consent: ConsentInAdvance;
  /** The caller's id of this turn: the same id gives the same turn. */
  readonly submissionId?: string;
}

/** `fovea run`: one turn, from the prompt and standard input. */
export async function run(words: readonly string[], options: RunOptions, context: CommandContext): Promise<ExitCode> {
  if (options.submissionId !== undefined && options.session === undefined && !options.continueLast) {
    throw usageError(context.texts.submissionNeedsSession);
  }
  const workspace = resolve(context.currentFolder, options.workspace);
  const prompt = words.join(' ');
  const text = joinPrompt(prompt, await readStandardInput(context));
  if (text.trim() === '' && options.attach.length === 0) throw usageError(context.texts.promptMissing);
  const fovea = await context.openFovea();
  const session = await prepareSession(fovea, { ...options, workspace }, context);
  const approver = createApprover(options.consent);
  const leaving = new AbortController();
  const told = fovea.runTurn({
    sessionId: session.id,
    text,
    // What was piped in names no files.
    referencesIn: prompt,
    attachments: options.attach,
    ...(options.model === undefined ? {} : { model: options.model }),
    signal: AbortSignal.any([context.signal, leaving.signal]),
    consent: options.consent,
    ...(options.submissionId === undefined ? {} : { submissionId: options.submissionId }),
    ...(approver === undefined ? {} : { approver }),
  });
  const events = leaveWhenHeld(told, () => leaving.abort(SENDER_LEFT));
  if (options.json) return printJson(events, context);
  const hinted = addFileHints(events, { workspace: session.workspace, texts: context.texts });
  return printForPeople(tellWaiting(hinted, { sessionId: session.id, fovea, context }), context);
}

function joinPrompt(prompt: string, input: string): string {
  if (input.trim() === '') return prompt;
  return prompt === '' ? input : `${prompt}\n\n${input}`;
}

async function prepareSession(fovea: Fovea, options: SessionOptions, context: CommandContext): Promise<Session> {
  const existing = await findRequestedSession(fovea, options, context);
  // A wrong model must be found before anything is created.
  const choice = await fovea.chooseModel(options.model ?? existing?.model);
  if (!choice.ok) throw choice.error;
  if (existing !== undefined) return existing;
  const created = await fovea.createSession({ workspace: options.workspace, model: choice.value.id });
  if (!created.ok) throw created.error;
  return created.value;
}

async function printForPeople(events: AsyncIterable<FoveaEvent>, context: CommandContext): Promise<ExitCode> {
  const exitCode = await printTurn(events, {
    output: process.stdout,
    diagnostics: process.stderr,
    locale: context.locale,
    hasColors: context.hasColors,
    isPlain: context.isPlain,
  });
  return exitCode === exitCodes.turnFailed && context.signal.aborted ? exitCodes.interrupted : exitCode;
}

async function printJson(events: AsyncIterable<FoveaEvent>, context: CommandContext): Promise<ExitCode> {
  let exitCode: ExitCode | undefined;
  for await (const event of events) {
    process.stdout.write(`${JSON.stringify(event)}\n`);
    if (event.type === 'turn-refused') exitCode = exitCodes.refused;
    if (event.type === 'turn-end') exitCode = exitCodeOf(event.status);
  }
  return exitCode ?? withoutEnd(context);
}

/** The end of a turn that goes on in another process is not told to who left. */
function withoutEnd({ signal }: CommandContext): ExitCode {
  return signal.aborted ? exitCodes.interrupted : exitCodes.turnFailed;
}
