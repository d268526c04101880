/**
 * @typedef {import('./promises.mjs').Promised} Promised
 * @typedef {{ passed: number, failed: number, skipped: number, cases: number, seconds: number }} Seen
 * @typedef {{ name: string, value: number, unit: string, bar: string, ok: boolean }} BenchFigure
 * @typedef {{ id: string, says: string, asked: string, seen: string, seconds: number, verdict: string }} Row
 */

/**
 * What vitest's JSON report says of one promise's tests. Cases are those the names of the tests tell of.
 *
 * @param {any} report
 * @param {readonly import('./promises.mjs').UnitProof[]} proofs
 * @returns {Seen[]} one for each proof
 */
export function seenIn(report, proofs) {
  return proofs.map(({ file, title = /(?:)/ }) => {
    const seen = { passed: 0, failed: 0, skipped: 0, cases: 0, seconds: 0 };
    for (const result of report.testResults.filter(({ name }) => name.endsWith(file))) {
      for (const { fullName, title: own, status, duration } of result.assertionResults) {
        const match = title.exec(own) ?? title.exec(fullName);
        if (match === null) continue;
        seen[status === 'passed' ? 'passed' : status === 'failed' ? 'failed' : 'skipped'] += 1;
        if (status === 'passed') seen.cases += Number(match[1] ?? 0);
        seen.seconds += (duration ?? 0) / 1000;
      }
    }
    return seen;
  });
}

/**
 * A row of the table. Only what was tested in full, in the number that was asked, is `ok`; a proof that ran no test failed.
 *
 * @param {Promised} promised
 * @param {{ seen: readonly Seen[], figures: readonly BenchFigure[], benchSeconds: number, problems: readonly string[] | null,
 *   short: boolean }} facts `short`: benches are left out; `problems`: of the check, null when it did not run
 * @returns {Row}
 */
export function judge(promised, { seen, figures, benchSeconds, problems, short }) {
  const { id, says, asked, count = 0, benches = [], check, missing } = promised;
  const cases = seen.reduce((sum, each) => sum + each.cases, 0);
  const passed = seen.reduce((sum, each) => sum + each.passed, 0);
  const said = [
    ...(seen.length === 0 ? [] : [`${passed} tests${cases === 0 ? '' : `, ${cases} cases`}`]),
    ...figures.map(({ name, value, unit }) => `${name} ${Math.round(value * 1000) / 1000} ${unit}`),
    ...(problems === null ? [] : [`${problems.length} problems`]),
  ];
  const failed =
    seen.some((each) => each.failed > 0 || each.passed + each.skipped === 0) ||
    figures.some(({ ok }) => !ok) ||
    (problems?.length ?? 0) > 0 ||
    (!short && benches.length > 0 && figures.length === 0);
  const untested = [
    ...(missing === undefined ? [] : [missing]),
    ...(short && benches.length > 0 ? [`${benches.join(', ')} (whole form only)`] : []),
    ...(seen.some((each) => each.skipped > 0) ? ['what was skipped here'] : []),
    ...(cases < count ? [`${count - cases} of ${count} cases`] : []),
  ];
  const nothing = seen.length === 0 && figures.length === 0 && check === undefined;
  const verdict = failed
    ? 'FAILED'
    : untested.length === 0
      ? 'ok'
      : `${nothing ? 'not tested' : 'not tested in part'}: ${untested.join('; ')}`;
  const seconds = seen.reduce((sum, each) => sum + each.seconds, benchSeconds);
  return { id, says, asked, seen: said.join('; ') || '–', seconds, verdict };
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
