import { join } from 'node:path';
import { runProgram } from './run-program.mjs';
import { projectRoot } from './setup/project.mjs';
import { StepFailure } from './setup/step-failure.mjs';
import { ensureSetUp, runScript } from './setup/steps.mjs';
import { runPlaywright, runVitest } from './test-runners.mjs';
import { promises } from './trust/promises.mjs';
import { printPromises } from './trust/table.mjs';

/** What each bench said, by its words. */
const measured = new Map();

/**
 * `npm run trust [-- --short] [--online]`: every promise with what was asked and seen; exit code 1 unless all of them hold, or none failed in the short form. With
 * `--online` the registry is asked whether it signed what is installed; nothing else leaves this machine.
 */
await runScript(async () => {
  const given = process.argv.slice(2);
  const unknown = given.find((each) => each !== '--short' && each !== '--online');
  if (unknown !== undefined)
    throw new StepFailure('trust', `there is no option ${unknown}.`, 'There are --short and --online.');
  const short = given.includes('--short');
  await ensureSetUp('window', { needXvfb: process.platform === 'linux', alsoTests: true });
  const unit = await runUnit({
    full: !short,
    ...(short ? {} : { env: { WAYMARK_ATTACK_CALLS: '10000' } }), // P11
  });
  const windows = filesOf('e2e');
  // Without a name Playwright would run everything.
  const e2e = windows.length === 0 ? { report: null } : await runPlaywright({ full: !short, args: windows });
  const { held, failed, all } = await printPromises({
    ...{ unit, e2e: e2e.report, short, online: given.includes('--online') },
    ...(short ? {} : { benchFigures }),
  });
  return (short ? failed === 0 : held === all) ? 0 : 1;
});

/** Proofs that are whole files, then those that are some tests of a file, by their titles: its others prove nothing here. */
async function runUnit(options) {
  const proofs = promises.flatMap(({ unit = [] }) => unit);
  const whole = new Set(proofs.flatMap(({ file, title }) => (title === undefined ? [file] : [])));
  const named = proofs.filter(({ file }) => !whole.has(file));
  const titles = named.map(({ title }) => title.source.replace(/^\^/, ''));
  const parts = [[...whole], [...new Set(named.map(({ file }) => file)), '-t', titles.join('|')]];
  const results = [];
  for (const args of parts) {
    const { report } = await runVitest({ ...options, args });
    results.push(...(report?.testResults ?? []));
  }
  return { testResults: results };
}

function filesOf(kind) {
  return [...new Set(promises.flatMap((promised) => (promised[kind] ?? []).map(({ file }) => file)))];
}

/** Figures of the benches, each run once for all promises that it is for. One that broke has none, and that fails the promise. */
async function benchFigures(names) {
  const figures = [];
  let seconds = 0;
  for (const name of names) {
    if (!measured.has(name)) {
      const started = performance.now();
      const { output } = await runProgram([
        join(projectRoot, 'scripts', 'bench.mjs'),
        ...name.split(' '),
        '--json',
      ]);
      seconds += (performance.now() - started) / 1000;
      const line = output.split('\n').findLast((each) => each.startsWith('[{'));
      measured.set(name, line === undefined ? [] : JSON.parse(line));
    }
    figures.push(...measured.get(name));
  }
  return { figures, seconds };
}
