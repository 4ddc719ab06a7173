import { AppError } from '@fovea/core/base';
import type { ListedQueueItem, QueueSnapshot, Session } from '@fovea/core/content';
import type { Fovea } from '@fovea/server';
import type { CommandContext } from '../command-context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { heldLine, queueLines, toPrintableQueue, waitingItems } from '../queue-lines.ts';
import { queueTexts } from '../queue-texts.ts';
import { requireSession } from '../resolve-session.ts';
import { workOffQueue } from '../work-off-queue.ts';

/** Numbers count from 1, as the list shows them. */
export interface SessionQueueOptions {
  readonly json: boolean;
  readonly remove?: number;
  readonly move?: number;
  /** With `move`: the number before which it is put; absent: last. */
  readonly before?: number;
  readonly requeue?: number;
  readonly resume: boolean;
}

/** `fovea sessions queue ID`: changes what waits, if asked for, and lists it. */
export async function sessionQueue(
  id: string,
  options: SessionQueueOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const fovea = await context.openFovea();
  const session = await requireSession(fovea, id, context);
  await changeQueue(options, { fovea, session, context });
  if (options.resume || options.requeue !== undefined) return goOn(session, { options, fovea, context });
  printQueue(await fovea.queue(session.id), options, context);
  return exitCodes.done;
}

interface Place {
  readonly fovea: Fovea;
  readonly session: Session;
  readonly context: CommandContext;
}

/** All numbers mean the list as it was. Throws `QUEUE_ITEM_NOT_FOUND`. */
async function changeQueue(options: SessionQueueOptions, { fovea, session, context }: Place): Promise<void> {
  const waiting = waitingItems(await fovea.queue(session.id));
  const find = (position: number): ListedQueueItem => requireNumber(waiting, position, context);
  const moved = options.move === undefined ? undefined : find(options.move);
  const before = options.before === undefined ? undefined : find(options.before);
  const again = options.requeue === undefined ? undefined : find(options.requeue);
  const removed = options.remove === undefined ? undefined : find(options.remove);
  if (again?.state === 'queued') {
    throw new AppError('QUEUE_ITEM_NOT_FOUND', queueTexts(context.locale).cannotRequeue(options.requeue ?? 0));
  }
  if (moved !== undefined) await fovea.moveQueued(session.id, moved.id, before?.id);
  if (removed !== undefined) await fovea.removeQueued(session.id, removed.id);
  if (again !== undefined) await fovea.requeue(session.id, again.id);
  if (options.resume) await fovea.resumeQueue(session.id);
}

/** Runs what waits, here, unless another process works on the session. */
async function goOn(
  session: Session,
  {
    options,
    fovea,
    context,
  }: { readonly options: SessionQueueOptions; readonly fovea: Fovea; readonly context: CommandContext },
): Promise<ExitCode> {
  const holder = await fovea.findSessionHolder(session.id);
  if (holder !== undefined && !holder.isHere) {
    process.stderr.write(`${queueTexts(context.locale).runsElsewhere(String(holder.pid))}\n`);
    printQueue(await fovea.queue(session.id), options, context);
    return exitCodes.done;
  }
  return workOffQueue(session.id, { fovea, context, json: options.json });
}

function requireNumber(
  waiting: readonly ListedQueueItem[],
  position: number,
  context: CommandContext,
): ListedQueueItem {
  const item = waiting[position - 1];
  if (item === undefined) {
    throw new AppError('QUEUE_ITEM_NOT_FOUND', queueTexts(context.locale).noSuchNumber(waiting.length));
  }
  return item;
}

function printQueue(queue: QueueSnapshot, options: SessionQueueOptions, context: CommandContext): void {
  if (options.json) {
    process.stdout.write(`${JSON.stringify(toPrintableQueue(queue), null, 2)}\n`);
    return;
  }
  const texts = queueTexts(context.locale);
  if (queue.items.length === 0) process.stderr.write(`${texts.empty}\n`);
  for (const line of queueLines(queue, context)) process.stdout.write(`${line}\n`);
  const held = heldLine(queue, context.locale);
  if (held !== undefined) process.stderr.write(`${held}\n`);
  if (held !== undefined && queue.access === 'read-write') {
    process.stderr.write(`${texts.howToResume(queue.sessionId)}\n`);
  }
}
