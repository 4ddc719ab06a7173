import type { Approver } from '@fovea/core/agent';

/** What `fovea run` is told beforehand: nothing, `--yes`, or `--yes=all`. */
export type ConsentInAdvance = 'none' | 'yes' | 'yes-all';

/**
 * Who decides where nobody can be asked. `none` is nobody: the agent refuses with a tool result.
 * `yes` allows what is asked, except a command after a picture or description that came from a
 * tool, an MCP server or a URL: what it says may be a stranger's words. `yes-all` allows that too.
 */
export function createApprover(consent: ConsentInAdvance): Approver | undefined {
  if (consent === 'none') return undefined;
  return {
    decide: async ({ demand, isAfterForeignPicture }) => {
      const isTooRisky = demand === 'execute' && isAfterForeignPicture && consent === 'yes';
      return isTooRisky ? { decision: 'deny', reason: REASON } : { decision: 'allow' };
    },
  };
}

/** Told to the model, and by it to the user. */
const REASON =
  'this turn has shown a picture that came from a tool or a URL, and --yes does not allow commands after one; --yes=all does';
