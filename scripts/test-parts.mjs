import { join } from 'node:path';
import { runChecks } from './checks.mjs';
import { loopbackOnly } from './loopback-only.mjs';
import { checkPackage } from './package-check.mjs';
import { runProgram } from './run-program.mjs';
import { projectRoot } from './setup/project.mjs';
import { StepFailure } from './setup/step-failure.mjs';
import { ensureSetUp } from './setup/steps.mjs';
import { countBenches, noTests } from './test-counts.mjs';
import { onDisplay, runPlaywright, runVitest } from './test-runners.mjs';
import { printPromises } from './trust/table.mjs';

/**
 * Everything a test run consists of, in order. `test` and `full` say which run takes the part; `counts`
 * that it must report tests; a failed `stops` part ends the run. Each `run` gives its exit code and counts.
 */
export const parts = [
  { name: 'set-up', test: true, full: true, stops: true, run: runSetUp },
  { name: 'check', test: true, full: true, run: async () => ({ code: await runChecks(), counts: noTests }) },
  { name: 'unit', test: true, full: true, counts: true, run: runUnit },
  { name: 'package', test: true, full: true, counts: true, run: runPackage },
  { name: 'e2e', test: true, full: true, counts: true, run: runEndToEnd },
  { name: 'trust', test: true, full: true, counts: true, run: runTrust },
  { name: 'offline', test: true, full: true, run: runOffline },
  { name: 'benches', test: false, full: true, counts: true, run: runBenches },
];

async function runSetUp({ only }) {
  await ensureSetUp(only === 'unit' || only === 'check' ? 'tests' : 'window', {
    needXvfb: process.platform === 'linux',
    alsoTests: only !== 'package',
    ...(only === 'check' ? { skip: ['test hosts'] } : {}),
  });
  return { code: 0, counts: noTests };
}

async function runUnit({ full, args, reports }) {
  const { code, counts, report } = await runVitest({ full, args });
  reports.unit = report;
  return { code, counts };
}

async function runPackage() {
  return onDisplay((env) => checkPackage({ env }));
}

async function runEndToEnd({ full, args, reports }) {
  const { code, counts, report } = await runPlaywright({ full, args });
  reports.e2e = report;
  return { code, counts };
}

/** The short form of `npm run trust`, from what the parts before it reported: each promise has a proof, and none failed. */
async function runTrust({ reports, only }) {
  if (only !== undefined)
    throw new StepFailure(
      'trust',
      'it judges what unit and e2e report.',
      'npm run trust -- --short runs those.',
    );
  const { failed, all } = await printPromises({ ...reports, short: true });
  return { code: failed === 0 ? 0 : 1, counts: { passed: all - failed, failed, skipped: 0 } };
}

/** The whole review story in a network that has nothing but loopback; skipped where there can be none. */
async function runOffline({ args }) {
  const { within = [], missing = '' } = loopbackOnly();
  if (missing !== '') process.stdout.write(`skipped: ${missing}\n`);
  const config = join(projectRoot, 'e2e', 'offline', 'playwright.config.ts');
  const { code, counts } = await runPlaywright({
    ...{ args: ['--config', config, ...args], within },
    env: { WAYMARK_NO_LOOPBACK: missing },
  });
  return { code, counts };
}

/** Whether every bench still works; the figures of so few rounds mean nothing, so a missed bar is no failure. */
async function runBenches() {
  const { output } = await runProgram([join(projectRoot, 'scripts', 'bench.mjs')], {
    env: { WAYMARK_BENCH_QUICK: '1' },
    show: true,
  });
  const counts = countBenches(output);
  return { code: counts.failed > 0 ? 1 : 0, counts };
}
