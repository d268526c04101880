import { cpus } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './run-program.mjs';
import { projectRoot } from './setup/project.mjs';

const inPackage = (...parts) => join(projectRoot, 'node_modules', ...parts);
const typeCheck = (folder) => ({
  name: `types of ${folder}`,
  args: [inPackage('typescript', 'bin', 'tsc'), '-p', folder],
});

/** Format, lint and import boundaries are one run of Biome; the slowest come first. */
const checks = [
  {
    name: 'format, lint, boundaries',
    args: [
      inPackage('@biomejs', 'biome', 'bin', 'biome'),
      'check',
      '--colors=off',
      '--error-on-warnings',
      '--max-diagnostics=200',
      '.',
    ],
  },
  typeCheck('electron'),
  typeCheck('renderer'),
  typeCheck('e2e'),
  typeCheck('shared'),
  {
    name: 'unused code',
    args: [inPackage('knip', 'bin', 'knip.js'), '--no-progress', '--no-config-hints'],
  },
];

/**
 * Runs every static check, as many at a time as there are cores, and prints one line each.
 *
 * @returns {Promise<number>} how many failed
 */
export async function runChecks() {
  const waiting = [...checks];
  let failures = 0;
  const worker = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const started = performance.now();
      const { code, output } = await runProgram(check.args);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      process.stdout.write(`${code === 0 ? '✓' : '✗'} ${check.name} (${seconds} s)\n`);
      if (code === 0) continue;
      failures += 1;
      process.stdout.write(`${output.trim()}\n`);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, cpus().length) }, worker));
  return failures;
}
