import { ensurePackaged } from '../package-app.mjs';
import { checkFuses, expectedFuses } from '../package-check.mjs';
import { checkArchive } from './archive.mjs';
import { judge, seenIn, tableOf, testsOf } from './judge.mjs';
import { checkPackages } from './packages.mjs';
import { promises } from './promises.mjs';
import { checkSignatures } from './signatures.mjs';

/**
 * What is looked at beside tests and benches: what is wrong, what was seen, and what could not be looked at.
 *
 * @type {Record<string, (options: { online: boolean }) => Promise<import('./judge.mjs').Checked>>}
 */
const checks = {
  packages: async () => {
    const { problems, all } = checkPackages();
    return { problems, said: [`${all} locked`] };
  },
  archive: async () => {
    const { executable } = await ensurePackaged('release');
    const { problems, files, components } = await checkArchive(executable);
    return { problems, said: [`${files} files in the archive`, `${components} packages in it`] };
  },
  fuses: async () => {
    const { executable } = await ensurePackaged('release');
    return {
      problems: await checkFuses(executable, 'release'),
      said: [`${Object.keys(expectedFuses).length} fuses read back`],
    };
  },
  signatures: ({ online }) => checkSignatures({ online }),
};

/**
 * Judges every promise by reports of tests that ran, prints the table, and says how many there are of what.
 *
 * @param {{ unit: any, e2e: any, short: boolean, online?: boolean, benchFigures?: (names: readonly string[]) =>
 *   Promise<{ figures: import('./judge.mjs').BenchFigure[], seconds: number }> }} given the reports of vitest and Playwright;
 *   without `benchFigures` no bench counts
 *   `online`: the registry may be asked
 * @returns {Promise<{ held: number, failed: number, all: number }>} `failed`: those with a proof that failed or with none at all
 */
export async function printPromises({ unit, e2e, short, online = false, benchFigures }) {
  const tests = { unit: testsOf(unit), e2e: testsOf(e2e) };
  const rows = [];
  for (const promised of promises) {
    const found = (await benchFigures?.(promised.benches ?? [])) ?? { figures: [], seconds: 0 };
    const checked = [];
    for (const name of promised.checks ?? []) checked.push(await checks[name]({ online }));
    for (const problem of checked.flatMap(({ problems }) => problems))
      process.stdout.write(`${promised.id}: ${problem}\n`);
    rows.push(
      judge(promised, {
        seen: [...seenIn(tests.unit, promised.unit ?? []), ...seenIn(tests.e2e, promised.e2e ?? [])],
        ...{ figures: found.figures, benchSeconds: found.seconds },
        ...{ checked, short },
      }),
    );
  }
  const held = rows.filter(({ verdict }) => verdict === 'ok').length;
  // What this system cannot test is not held here, and is no failure of the tests that ran.
  const failed = rows.filter(
    ({ verdict, skipped }) => verdict === 'FAILED' || (verdict.startsWith('not tested:') && skipped !== true),
  );
  const rest = short
    ? `, ${rows.length - held - failed.length} as far as the short form asks, ${failed.length} failed`
    : '';
  process.stdout.write(`\n${tableOf(rows)}\n\n${held} of ${rows.length} promises hold${rest}.\n`);
  return { held, failed: failed.length, all: rows.length };
}
