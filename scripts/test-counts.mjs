/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 */

/** @type {Counts} */
export const noTests = { passed: 0, failed: 0, skipped: 0 };

/**
 * @param {any} report what vitest's JSON reporter wrote
 * @returns {Counts} a file that could not be loaded counts as one failure
 */
export function countVitest(report) {
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/**
 * @param {any} report what Playwright's JSON reporter wrote
 * @returns {Counts} a flaky test counts as failed; so does an error outside of any test
 */
export function countPlaywright(report) {
  const { expected, unexpected, flaky, skipped } = report.stats;
  return { passed: expected, failed: unexpected + flaky + report.errors.length, skipped };
}

/**
 * @param {string} output what the benches printed
 * @returns {Counts} a bench that broke has failed; a run that was cut short before its closing minutes fails as well
 */
export function countBenches(output) {
  const lines = output.split('\n');
  const ran = lines.filter((line) => /^ {2}took \d+ s$/.test(line)).length;
  const broken = lines.filter((line) => line.startsWith('  BROKEN ')).length;
  const cutShort = lines.some((line) => / min all$/.test(line)) ? 0 : 1;
  return { passed: ran - broken, failed: broken + cutShort, skipped: 0 };
}

/**
 * What a part counts for in the end: one that failed without a failed test, or that ran none, failed.
 *
 * @param {Counts} counts
 * @param {{ code: number, mustRun: boolean }} result its exit code, and whether it has tests at all
 * @returns {Counts}
 */
export function judgePart(counts, { code, mustRun }) {
  const silentFailure = counts.failed === 0 && (code !== 0 || (mustRun && counts.passed === 0));
  return silentFailure ? { ...counts, failed: 1 } : counts;
}

/**
 * @param {Counts[]} parts
 * @returns {Counts}
 */
export function sumCounts(parts) {
  return parts.reduce(
    (sum, part) => ({
      passed: sum.passed + part.passed,
      failed: sum.failed + part.failed,
      skipped: sum.skipped + part.skipped,
    }),
    noTests,
  );
}

/** @returns {string} the closing line of a test run */
export function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
