import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './run-program.mjs';
import { startDisplay } from './setup/display.mjs';
import { readLaunch } from './setup/launch-file.mjs';
import { projectRoot } from './setup/project.mjs';
import { countPlaywright, countVitest, noTests } from './test-counts.mjs';

/**
 * @typedef {{ code: number, counts: import('./test-counts.mjs').Counts, report: any }} TestRun `report` is null when the runner
 *   broke before it wrote one
 */

/**
 * The unit tests, or those of the files that `args` names.
 *
 * @param {{ full?: boolean, args?: string[], env?: Record<string, string> }} options
 * @returns {Promise<TestRun>}
 */
export function runVitest({ full = false, args = [], env = {} }) {
  const program = join(projectRoot, 'node_modules', 'vitest', 'vitest.mjs');
  return withReport(countVitest, (report) =>
    runProgram(
      [program, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...args],
      { env: { WAYMARK_FULL: full ? '1' : '', ...env }, show: true },
    ),
  );
}

/**
 * The tests of the real application, on a display of their own.
 *
 * @param {{ full?: boolean, args?: string[], env?: Record<string, string>, within?: string[] }} options
 * @returns {Promise<TestRun>}
 */
export function runPlaywright({ full = false, args = [], env = {}, within = [] }) {
  const program = join(projectRoot, 'node_modules', '@playwright', 'test', 'cli.js');
  return onDisplay((display) =>
    withReport(countPlaywright, (report) =>
      runProgram([program, 'test', '--reporter=list,json', ...args], {
        env: {
          ...{ ...display, PLAYWRIGHT_JSON_OUTPUT_FILE: report, WAYMARK_FULL: full ? '1' : '' },
          ...env,
        },
        show: true,
        within,
      }),
    ),
  );
}

/** On Linux tests get a display of their own, so that no window comes up in front of somebody at work. */
export async function onDisplay(work) {
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
    const path = join(folder, 'report.json');
    const { code } = await run(path);
    const report = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
    return { code, counts: report === null ? noTests : count(report), report };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
