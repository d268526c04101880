/** So much of a failure's words is said again at the end; all of them stand where it happened. */
const LINES_EACH = 16;
/** And of one line, where it is somebody's counterexample. */
const LINE_CHARACTERS = 400;
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/**
 * What failed, once more at the end of a long log, whose beginning is often cut off.
 *
 * @param {{ unit: any, e2e: any }} reports what vitest's and Playwright's JSON reporters wrote; null where a part did not run
 * @returns {string[]} a paragraph per failed test: where, which, and the first lines of why
 */
export function describeFailures({ unit, e2e }) {
  return [...failuresOfVitest(unit), ...failuresOfPlaywright(e2e)];
}

function failuresOfVitest(report) {
  return (report?.testResults ?? []).flatMap((file) => {
    const failed = file.assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0 && file.status === 'failed') return [paragraph(file.name, '', file.message)];
    return failed.map((test) => paragraph(file.name, test.fullName, test.failureMessages.join('\n')));
  });
}

function failuresOfPlaywright(report) {
  const outside = (report?.errors ?? []).map((error) => paragraph('e2e', '', error.message));
  return [...(report?.suites ?? []).flatMap(failuresOfSuite), ...outside];
}

function failuresOfSuite(suite) {
  const own = (suite.specs ?? []).flatMap((spec) => {
    const results = spec.tests.filter((test) => ['unexpected', 'flaky'].includes(test.status));
    return results.map((test) => paragraph(spec.file, spec.title, whyOf(test)));
  });
  return [...own, ...(suite.suites ?? []).flatMap(failuresOfSuite)];
}

function whyOf(test) {
  return test.results.flatMap((result) => (result.errors ?? []).map((error) => error.message)).join('\n');
}

function paragraph(file, title, why) {
  const lines = String(why ?? '')
    .replace(COLOURS, '')
    .split('\n');
  return [
    `✗ ${file}${title === '' ? '' : ` › ${title}`}`,
    ...lines.slice(0, LINES_EACH).map((line) => `    ${cut(line)}`),
  ].join('\n');
}

function cut(line) {
  return line.length > LINE_CHARACTERS ? `${line.slice(0, LINE_CHARACTERS)}…` : line;
}
