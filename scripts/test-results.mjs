// Reads the JSON reports of vitest.
import { readFileSync } from 'node:fs';

/** A file that could not be loaded has no test of its own; it counts as one failure. */
export function countResults(file) {
  const results = JSON.parse(readFileSync(file, 'utf8'));
  const unloadable = results.testResults.filter(
    (entry) => entry.status === 'failed' && entry.assertionResults.length === 0,
  );
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests + unloadable.length,
    skipped: results.numPendingTests + results.numTodoTests,
  };
}

export function describeCounts({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
