import { createUserMessage, type TurnRun } from './turn-run.ts';

/**
 * What the user sent while the turn was running becomes part of it, behind the results of its tools.
 * Its pictures count as those of the turn. What comes after a stop waits for its own turn.
 */
export async function joinSteering({ input, services, transcript }: TurnRun): Promise<void> {
  const { turnId, session, signal } = input;
  if (signal.aborted) return;
  const joined = await services.records.joinSteering({ id: turnId, sessionId: session.id }, (item) =>
    createUserMessage(turnId, item, services),
  );
  transcript?.push(...joined);
}
