/**
 * @typedef {import('./promises.mjs').Promised} Promised
 * @typedef {{ passed: number, failed: number, skipped: number, cases: number, seconds: number }} Seen
 * @typedef {{ file: string, titles: string[], status: 'passed' | 'failed' | 'skipped', seconds: number }} Ran
 * @typedef {{ name: string, value: number, unit: string, bar: string, ok: boolean }} BenchFigure
 * @typedef {{ problems: string[], said?: string[], untested?: string[] }} Checked what a check found; `untested` with the reason
 * @typedef {{ id: string, says: string, asked: string, seen: string, seconds: number, verdict: string,
 *   skipped?: boolean }} Row `skipped`: nothing of it ran, because this system cannot
 */

/**
 * The tests of a report of vitest's or Playwright's, in one shape.
 *
 * @param {any} report what the JSON reporter wrote; null where that part did not run
 * @returns {Ran[]}
 */
export function testsOf(report) {
  if (report === null) return [];
  if (report.testResults === undefined) return report.suites.flatMap((suite) => playwrightTests(suite, []));
  return report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, title, status, duration }) => ({
      ...{ file: name, titles: [title, fullName], seconds: (duration ?? 0) / 1000 },
      status: status === 'passed' || status === 'failed' ? status : 'skipped',
    })),
  );
}

/** A test that went well at a second try failed: nothing here may depend on luck. */
const playwrightStatus = { expected: 'passed', skipped: 'skipped' };

function playwrightTests({ file, title, specs = [], suites = [] }, above) {
  const path = title === file ? [] : [...above, title];
  return [
    ...specs.flatMap((spec) =>
      spec.tests.map(({ status, results }) => ({
        file: `/e2e/${spec.file}`,
        titles: [spec.title, [...path, spec.title].join(' ')],
        status: playwrightStatus[status] ?? 'failed',
        seconds: results.reduce((sum, { duration }) => sum + duration, 0) / 1000,
      })),
    ),
    ...suites.flatMap((suite) => playwrightTests(suite, path)),
  ];
}

/**
 * What of one promise's tests ran. Cases are those the names of the tests tell of.
 *
 * @param {readonly Ran[]} tests
 * @param {readonly import('./promises.mjs').TestProof[]} proofs
 * @returns {Seen[]} one for each proof
 */
export function seenIn(tests, proofs) {
  return proofs.map(({ file, title = /(?:)/ }) => {
    const seen = { passed: 0, failed: 0, skipped: 0, cases: 0, seconds: 0 };
    for (const test of tests) {
      if (!test.file.endsWith(`/${file}`)) continue;
      const match = test.titles.map((each) => title.exec(each)).find((each) => each !== null);
      if (match === undefined) continue;
      seen[test.status] += 1;
      if (test.status === 'passed') seen.cases += Number(match[1] ?? 0);
      seen.seconds += test.seconds;
    }
    return seen;
  });
}

/**
 * A row of the table. Only what was tested in full, in the number that was asked, is `ok`; a proof that ran no test failed.
 *
 * @param {Promised} promised
 * @param {{ seen: readonly Seen[], figures: readonly BenchFigure[], benchSeconds: number, checked: readonly Checked[],
 *   short: boolean }} facts `short`: benches are left out
 * @returns {Row}
 */
export function judge(promised, { seen, figures, benchSeconds, checked, short }) {
  const { id, says, asked, count = 0, benches = [], checks = [], missing } = promised;
  const cases = seen.reduce((sum, each) => sum + each.cases, 0);
  const passed = seen.reduce((sum, each) => sum + each.passed, 0);
  const problems = checked.flatMap((each) => each.problems);
  const said = [
    ...(seen.length === 0 ? [] : [`${passed} tests${cases === 0 ? '' : `, ${cases} cases`}`]),
    ...figures.map(({ name, value, unit }) => `${name} ${Math.round(value * 1000) / 1000} ${unit}`),
    ...checked.flatMap(({ said = [] }) => said),
    ...(checked.length === 0 ? [] : [`${problems.length} problems`]),
  ];
  const failed =
    seen.some((each) => each.failed > 0 || each.passed + each.skipped === 0) ||
    figures.some(({ ok }) => !ok) ||
    problems.length > 0 ||
    (!short && benches.length > 0 && figures.length === 0);
  const untested = [
    ...(missing === undefined ? [] : [missing]),
    ...checked.flatMap((each) => each.untested ?? []),
    ...(short && benches.length > 0 ? [`${benches.join(', ')} (whole form only)`] : []),
    ...(seen.some((each) => each.skipped > 0) ? ['what was skipped here'] : []),
    ...(cases < count ? [`${count - cases} of ${count} cases`] : []),
  ];
  const skipped = seen.length > 0 && seen.every((each) => each.passed === 0 && each.skipped > 0);
  const nothing = (seen.length === 0 || skipped) && figures.length === 0 && checks.length === 0;
  // What has its proof in the whole form lacks none.
  const lacking =
    nothing && (skipped || !(short && benches.length > 0)) ? 'not tested' : 'not tested in part';
  const verdict = failed ? 'FAILED' : untested.length === 0 ? 'ok' : `${lacking}: ${untested.join('; ')}`;
  const seconds = seen.reduce((sum, each) => sum + each.seconds, benchSeconds);
  return { id, says, asked, seen: said.join('; ') || '–', seconds, verdict, ...(skipped ? { skipped } : {}) };
}

/** @param {readonly Row[]} rows */
export function tableOf(rows) {
  const columns = rows.map(({ id, says, asked, seen, seconds, verdict }) => [
    ...[id, says, asked, seen, `${seconds.toFixed(1)} s`],
    verdict,
  ]);
  const all = [['', 'promise', 'asked', 'seen', 'time', 'verdict'], ...columns];
  const widths = all[0].map((_, column) => Math.max(...all.map((row) => row[column].length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
