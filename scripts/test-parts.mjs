import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runChecks } from './checks.mjs';
import { loopbackOnly } from './loopback-only.mjs';
import { checkPackage } from './package-check.mjs';
import { runProgram } from './run-program.mjs';
import { startDisplay } from './setup/display.mjs';
import { readLaunch } from './setup/launch-file.mjs';
import { projectRoot } from './setup/project.mjs';
import { ensureSetUp } from './setup/steps.mjs';
import { countBenches, countPlaywright, countVitest, noTests } from './test-counts.mjs';

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

async function runUnit({ full, args }) {
  const program = join(projectRoot, 'node_modules', 'vitest', 'vitest.mjs');
  return withReport(countVitest, (report) =>
    runProgram(
      [program, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...args],
      {
        env: { WAYMARK_FULL: full ? '1' : '' },
        show: true,
      },
    ),
  );
}

async function runPackage() {
  return onDisplay((env) => checkPackage({ env }));
}

async function runEndToEnd({ full, args }) {
  const program = join(projectRoot, 'node_modules', '@playwright', 'test', 'cli.js');
  return onDisplay((env) =>
    withReport(countPlaywright, (report) =>
      runProgram([program, 'test', '--reporter=list,json', ...args], {
        env: { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: report, WAYMARK_FULL: full ? '1' : '' },
        show: true,
      }),
    ),
  );
}

/** The whole review story in a network that has nothing but loopback; skipped where there can be none. */
async function runOffline({ args }) {
  const program = join(projectRoot, 'node_modules', '@playwright', 'test', 'cli.js');
  const config = join(projectRoot, 'e2e', 'offline', 'playwright.config.ts');
  const { within = [], missing = '' } = loopbackOnly();
  if (missing !== '') process.stdout.write(`skipped: ${missing}\n`);
  return onDisplay((env) =>
    withReport(countPlaywright, (report) =>
      runProgram([program, 'test', '--config', config, '--reporter=list,json', ...args], {
        env: { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: report, WAYMARK_NO_LOOPBACK: missing },
        show: true,
        within,
      }),
    ),
  );
}

/** On Linux tests get a display of their own, so that no window comes up in front of somebody at work. */
async function onDisplay(work) {
  if (process.platform !== 'linux') return work({});
  const { user } = readLaunch();
  const display = await startDisplay(user ? { owner: user } : {});
  try {
    return await work(display.env);
  } finally {
    display.stop();
  }
}

async function withReport(count, run) {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-report-'));
  try {
    const report = join(folder, 'report.json');
    const { code } = await run(report);
    const counts = existsSync(report) ? count(JSON.parse(readFileSync(report, 'utf8'))) : noTests;
    return { code, counts };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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
