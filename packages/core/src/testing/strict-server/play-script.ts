import { replyByDefault } from './default-script.ts';
import { type Reply, replyError } from './reply.ts';
import type { Script, ScriptStep } from './script.ts';
import type { StrictRequest } from './strict-request.ts';

/** Where a script stands. */
export interface ScriptPlayer {
  /** The reply to a request that passed every check. */
  next(request: StrictRequest, history: readonly StrictRequest[]): Promise<Reply>;
  /** Whether the script says that this request fails this check; then it goes one step on. */
  takesFailure(request: StrictRequest): boolean;
  /** What the script did not foresee. */
  readonly problems: readonly string[];
  /** Steps that are still to come; 0 for a function. */
  stepsLeft(): number;
}

/** Plays a script: a list step by step, a function at every request, nothing: `replyByDefault`. */
export function createScriptPlayer(script: Script | undefined): ScriptPlayer {
  const steps: readonly ScriptStep[] = typeof script === 'object' ? script : [];
  const problems: string[] = [];
  let position = 0;

  function findStep(): ScriptStep | undefined {
    if (typeof script === 'function') return script;
    if (script === undefined) return replyByDefault;
    position += 1;
    return steps[position - 1];
  }

  function reportProblem(words: string): Reply {
    problems.push(words);
    return replyError(500, { error: { message: words, type: 'strict_server_error', param: null, code: null } });
  }

  return {
    problems,
    stepsLeft: () => Math.max(0, steps.length - position),
    async next(request, history) {
      const step = findStep();
      if (step === undefined) return reportProblem(`request ${request.index}: the script has no step left`);
      const reply = typeof step === 'function' ? await step(request, history) : step;
      if (reply.kind !== 'fails-check') return reply;
      return reportProblem(`request ${request.index}: the script says that ${reply.check} fails, but it passed`);
    },
    takesFailure(request) {
      const step = steps[position];
      if (typeof step !== 'object' || step.kind !== 'fails-check' || step.check !== request.failure?.check)
        return false;
      position += 1;
      return true;
    },
  };
}
