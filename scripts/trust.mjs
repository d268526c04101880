import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './run-program.mjs';
import { projectRoot } from './setup/project.mjs';
import { StepFailure } from './setup/step-failure.mjs';
import { ensureSetUp, runScript } from './setup/steps.mjs';
import { judge, seenIn, tableOf } from './trust/judge.mjs';
import { checkPackages } from './trust/packages.mjs';
import { promises } from './trust/promises.mjs';

/** `npm run trust [-- --short]`: every promise with what was asked and seen; exit code 1 unless all of them hold. */
await runScript(async () => {
  const [form, ...more] = process.argv.slice(2);
  if (more.length > 0 || (form !== undefined && form !== '--short'))
    throw new StepFailure('trust', `there is no option ${form}.`, 'There is --short.');
  const short = form === '--short';
  await ensureSetUp('window', { needXvfb: process.platform === 'linux', alsoTests: true });
  const report = await unitReport(short);
  const rows = [];
  for (const promised of promises) {
    const found = short ? { figures: [], seconds: 0 } : await benchFigures(promised.benches ?? []);
    const checked = promised.check === 'packages' ? checkPackages() : null;
    for (const problem of checked?.problems ?? []) process.stdout.write(`${promised.id}: ${problem}\n`);
    rows.push(
      judge(promised, {
        seen: seenIn(report, promised.unit ?? []),
        figures: found.figures,
        benchSeconds: found.seconds,
        problems: checked?.problems ?? null,
        short,
      }),
    );
  }
  const held = rows.filter(({ verdict }) => verdict === 'ok').length;
  process.stdout.write(`\n${tableOf(rows)}\n\n${held} of ${rows.length} promises hold.\n`);
  return held === rows.length ? 0 : 1;
});

async function unitReport(short) {
  const files = [...new Set(promises.flatMap(({ unit = [] }) => unit.map(({ file }) => file)))];
  const folder = mkdtempSync(join(tmpdir(), 'waymark-trust-'));
  try {
    const path = join(folder, 'report.json');
    const program = join(projectRoot, 'node_modules', 'vitest', 'vitest.mjs');
    await runProgram(
      [program, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${path}`, ...files],
      { env: { WAYMARK_FULL: short ? '' : '1' }, show: true },
    );
    if (!existsSync(path))
      throw new StepFailure('trust', 'the tests gave no report.', 'Run npm run test:unit.');
    return JSON.parse(readFileSync(path, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const measured = new Map();

/** Figures of the benches, each run once for all promises that it is for. One that broke has none, and that fails the promise. */
async function benchFigures(names) {
  const figures = [];
  let seconds = 0;
  for (const name of names) {
    if (!measured.has(name)) {
      const started = performance.now();
      const { output } = await runProgram([join(projectRoot, 'scripts', 'bench.mjs'), name, '--json']);
      seconds += (performance.now() - started) / 1000;
      const line = output.split('\n').findLast((each) => each.startsWith('[{'));
      measured.set(name, line === undefined ? [] : JSON.parse(line));
    }
    figures.push(...measured.get(name));
  }
  return { figures, seconds };
}
