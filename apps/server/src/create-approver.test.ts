import type { ApprovalRequestEvent } from '@fovea/core/content';
import { describe, expect, it } from 'vitest';
import { type ConsentInAdvance, createApprover } from './create-approver.ts';

async function decide(
  consent: ConsentInAdvance,
  request: Pick<ApprovalRequestEvent, 'demand' | 'isAfterForeignPicture'>,
) {
  const whole = {
    type: 'approval-request',
    toolCallId: 'c1',
    name: 'run_command',
    arguments: '{}',
    target: 'ls',
  } as const;
  return createApprover(consent)?.decide({ ...whole, ...request }, new AbortController().signal);
}

describe('createApprover', () => {
  it('is nobody without consent', () => {
    expect(createApprover('none')).toBeUndefined();
  });

  it('allows commands and writes elsewhere with --yes', async () => {
    for (const demand of ['execute', 'write-outside'] as const) {
      expect(await decide('yes', { demand, isAfterForeignPicture: false })).toEqual({ decision: 'allow' });
    }
  });

  it('denies commands after a foreign picture unless all is allowed, and tells why', async () => {
    const afterPicture = { demand: 'execute', isAfterForeignPicture: true } as const;
    expect(await decide('yes', afterPicture)).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining('--yes=all'),
    });
    expect(await decide('yes-all', afterPicture)).toEqual({ decision: 'allow' });
    expect(await decide('yes', { ...afterPicture, demand: 'write-outside' })).toEqual({ decision: 'allow' });
  });
});
