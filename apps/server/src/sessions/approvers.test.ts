import type { Approver } from '@fovea/core/agent';
import { expect, it } from 'vitest';
import { Approvers } from './approvers.ts';

const allowing: Approver = { decide: async () => ({ decision: 'allow' }) };
const denying: Approver = { decide: async () => ({ decision: 'deny' }) };

it('asks who came with the item, then what its sender allowed, then who works on the session here, else nobody', () => {
  const approvers = new Approvers();
  expect(approvers.find({ turnId: 'turn_1', consent: 'none' })).toBeUndefined();
  approvers.offer('turn_1', allowing);
  approvers.offer('turn_2', denying);
  expect(approvers.find({ turnId: 'turn_1', consent: 'yes' })).toBe(allowing);
  const consenting = approvers.find({ turnId: 'turn_3', consent: 'yes-all' });
  expect([allowing, denying, undefined]).not.toContain(consenting);
  expect(approvers.find({ turnId: 'turn_3', consent: 'none' })).toBe(denying);
  approvers.forget({ turnId: 'turn_1' });
  expect(approvers.find({ turnId: 'turn_1', consent: 'none' })).toBe(denying);
});
