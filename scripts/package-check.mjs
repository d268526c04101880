import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applicationUser, executableLaunch, giveToApplication } from './launch.mjs';
import { ensurePackaged } from './package-app.mjs';
import { processTree } from './process-facts.mjs';
import { checkArchive } from './trust/archive.mjs';

/** How a fuse stands in the binary: the characters 1 and 0. */
const fuseOn = 0x31;
const fuseOff = 0x30;

/** The smoke run gives up by itself after 180 s, and says what it waited for; this is for one that cannot. */
const smokeMs = 240_000;

/** The fuses as they must stand in the binary; the e2e variant differs in the inspect arguments only. */
export const expectedFuses = {
  RunAsNode: false,
  EnableCookieEncryption: true,
  EnableNodeOptionsEnvironmentVariable: false,
  EnableNodeCliInspectArguments: false,
  EnableEmbeddedAsarIntegrityValidation: true,
  OnlyLoadAppFromAsar: true,
  GrantFileProtocolExtraPrivileges: false,
};

/**
 * Reads the fuses back from a packed binary.
 *
 * @param {string} executable absolute path
 * @param {import('./package-app.mjs').Variant} variant
 * @returns {Promise<string[]>} one line for each fuse that stands wrong
 */
export async function checkFuses(executable, variant) {
  const { FuseV1Options, getCurrentFuseWire } = await import('@electron/fuses');
  const wire = await getCurrentFuseWire(executable);
  const problems = [];
  for (const [name, release] of Object.entries(expectedFuses)) {
    const wanted = variant === 'e2e' && name === 'EnableNodeCliInspectArguments' ? true : release;
    const state = wire[FuseV1Options[name]];
    if (state !== fuseOn && state !== fuseOff) continue; // this Electron has no such fuse
    if ((state === fuseOn) !== wanted)
      problems.push(`Fuse ${name} is ${wanted ? 'off' : 'on'} in ${executable}.`);
  }
  if (wire[FuseV1Options.RunAsNode] === undefined) problems.push(`No fuses were found in ${executable}.`);
  return problems;
}

/**
 * Packs both variants, reads their fuses back, and lets the fused one take its smoke run.
 *
 * @param {{ env: Record<string, string> }} options variables for the application, its display among them
 * @returns {Promise<{ code: number, counts: import('./test-counts.mjs').Counts }>}
 */
export async function checkPackage({ env }) {
  const release = await ensurePackaged('release');
  const forTests = await ensurePackaged('e2e');
  const checks = [
    ['fuses of the release build', () => checkFuses(release.executable, 'release')],
    ['fuses of the e2e build', () => checkFuses(forTests.executable, 'e2e')],
    ['the e2e build differs in the inspect fuse only', () => checkDifference(forTests.executable)],
    ['contents of the release build', async () => (await checkArchive(release.executable)).problems],
    ['smoke run of the release build', () => checkSmoke(release.executable, env)],
  ];
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const [name, check] of checks) {
    const problems = await check();
    counts[problems.length === 0 ? 'passed' : 'failed'] += 1;
    process.stdout.write(
      `${problems.length === 0 ? '✓' : '✗'} ${name}\n${problems.map((problem) => `  ${problem}\n`).join('')}`,
    );
  }
  return { code: counts.failed === 0 ? 0 : 1, counts };
}

async function checkDifference(executable) {
  const problems = await checkFuses(executable, 'release');
  const expected = `Fuse EnableNodeCliInspectArguments is on in ${executable}.`;
  return problems.length === 1 && problems[0] === expected ? [] : [`Expected only: ${expected}`, ...problems];
}

async function checkSmoke(executable, env) {
  const out = mkdtempSync(join(tmpdir(), 'waymark-package-'));
  try {
    giveToApplication(out);
    const home = join(out, 'home');
    giveToApplication(home);
    const { code, late } = await runLimited(
      executableLaunch(executable, { args: ['--smoke', '--out', out], env: { ...env, HOME: home } }),
    );
    if (code !== 0) {
      const facts = join(out, 'smoke.json');
      return [
        `--smoke ended with exit code ${code}${applicationUser() ? ` as ${applicationUser().name}` : ''}.`,
        existsSync(facts) ? readFileSync(facts, 'utf8').trim() : 'It did not come to write smoke.json.',
        ...late,
        ...logLines(home),
      ];
    }
    const missing = ['screenshot.png', 'smoke.json'].filter((name) => !existsSync(join(out, name)));
    if (missing.length > 0) return [`--smoke did not write ${missing.join(', ')}.`];
    const smoke = JSON.parse(readFileSync(join(out, 'smoke.json'), 'utf8'));
    return typeof smoke === 'object' && smoke !== null ? [] : ['smoke.json holds no object.'];
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** Waits for the application's end, and ends it after the limit: `late` then says what its processes were doing. */
function runLimited({ executablePath, args, env, cwd }) {
  return new Promise((resolve, reject) => {
    const child = spawn(executablePath, args, { cwd, env, stdio: 'inherit' });
    let late = [];
    const timer = setTimeout(() => {
      const tree = process.platform === 'linux' ? processTree(child.pid) : [];
      late = [`It had not ended after ${smokeMs / 1000} s, and was killed:`, ...tree.map(({ line }) => line)];
      child.kill('SIGKILL');
      for (const { pid } of tree.slice(1)) killIfThere(pid);
    }, smokeMs);
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? 1, late });
    });
  });
}

function killIfThere(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** The last lines of the application's logs below its home, so that a machine nobody can look at tells why. */
function logLines(home) {
  return readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.log'))
    .flatMap((path) => [`${path}:`, ...readFileSync(join(home, path), 'utf8').trim().split('\n').slice(-20)]);
}
