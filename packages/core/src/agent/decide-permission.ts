import { assertNever } from '../base/assert-never.ts';
import type { PermissionProfile } from '../content/session.ts';
import type { ToolDemand } from '../tools/tool.ts';

/** `allow`: it runs; `ask`: somebody decides; `refuse`: it does not run, whoever is asked. */
export type Permission = 'allow' | 'ask' | 'refuse';

/**
 * What a session's profile says to one call, by what the call would do. Pure. What may not be read
 * or written in any profile is no matter of this rule: tools refuse it when they open it.
 *
 * See `docs/rules/agent-decide-permission.md`.
 */
export function decidePermission(profile: PermissionProfile, demand: ToolDemand): Permission {
  if (demand.kind === 'read') return 'allow';
  switch (profile) {
    case 'read-only':
      return 'refuse';
    case 'workspace-write':
      return demand.kind === 'write' && demand.isInsideWorkspace ? 'allow' : 'ask';
    case 'full-access':
      return 'allow';
    default:
      return assertNever(profile);
  }
}
