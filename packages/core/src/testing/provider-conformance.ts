import { describe } from 'vitest';
import { describeAnswers } from './conformance/answers.ts';
import { describeFaults } from './conformance/faults.ts';
import { createConformanceHarness } from './conformance/harness.ts';
import { describeLimits } from './conformance/limits.ts';
import { describePacking } from './conformance/packing.ts';
import { describeRequests } from './conformance/requests.ts';
import { describeSecrets } from './conformance/secrets.ts';
import type { ConformanceWire } from './conformance/wire.ts';

/** Everything that a provider owes its callers, over real HTTP. A new adapter's test calls this once. */
export function describeProviderConformance(wire: ConformanceWire): void {
  describe(`conformance of ${wire.wireApi}`, () => {
    const harness = createConformanceHarness(wire);
    describeAnswers(harness);
    describeFaults(harness);
    describeRequests(harness);
    describeLimits(harness);
    describePacking(harness);
    describeSecrets(harness);
  });
}
