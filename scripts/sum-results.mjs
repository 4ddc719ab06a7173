// Prints "N passed, N failed" for several result files of vitest, as the last line of .ci/run.
// Usage: node scripts/sum-results.mjs FAILED_STEP FILE...   (FAILED_STEP 1: something else failed already)
// A file that is missing, and a failed step without a failed test, count as one failure each.
import { existsSync } from 'node:fs';
import { countResults, describeCounts } from './test-results.mjs';

const [failedStep, ...files] = process.argv.slice(2);
const total = { passed: 0, failed: 0, skipped: 0 };
for (const file of files) {
  if (!existsSync(file)) {
    process.stdout.write(`no results: ${file}\n`);
    total.failed += 1;
    continue;
  }
  const counts = countResults(file);
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
}
if (failedStep !== '0' && total.failed === 0) total.failed = 1;
process.stdout.write(`${describeCounts(total)}\n`);
process.exit(total.failed === 0 ? 0 : 1);
