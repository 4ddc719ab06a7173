import { describe, expect, it } from 'vitest';
import type { PermissionProfile } from '../content/session.ts';
import type { ToolDemand } from '../tools/tool.ts';
import { decidePermission, type Permission } from './decide-permission.ts';

const read: ToolDemand = { kind: 'read' };
const inside: ToolDemand = { kind: 'write', target: 'a.txt', isInsideWorkspace: true };
const outside: ToolDemand = { kind: 'write', target: '/etc/hosts', isInsideWorkspace: false };
const command: ToolDemand = { kind: 'execute', target: 'npm test' };

function decideAll(profile: PermissionProfile): readonly Permission[] {
  return [read, inside, outside, command].map((demand) => decidePermission(profile, demand));
}

describe('decidePermission', () => {
  it('lets a session that only reads read, and refuses the rest without asking', () => {
    expect(decideAll('read-only')).toEqual(['allow', 'refuse', 'refuse', 'refuse']);
  });

  it('lets a session write below its workspace, and asks before anything else is written or run', () => {
    expect(decideAll('workspace-write')).toEqual(['allow', 'allow', 'ask', 'ask']);
  });

  it('lets a session with full access do all', () => {
    expect(decideAll('full-access')).toEqual(['allow', 'allow', 'allow', 'allow']);
  });
});
