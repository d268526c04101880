import { spawn } from 'node:child_process';
import { projectRoot } from '../setup/project.mjs';

/** The registry is asked about every package; ms. */
const limitMs = 300_000;

/**
 * Whether the registry signed what is installed (`npm audit signatures`). A registry that signs nothing, or does not answer, is a
 * reason and no problem: the lock file's hashes still hold.
 *
 * @param {{ online: boolean }} options without `online` nothing is asked: tests need no network
 * @returns {Promise<import('./judge.mjs').Checked>}
 */
export async function checkSignatures({ online }) {
  if (!online)
    return { problems: [], untested: ['signatures of the registry: not asked offline (--online asks)'] };
  return signaturesIn(await audit());
}

/**
 * @param {{ code: number, output: string }} answer of `npm audit signatures --json`
 * @returns {import('./judge.mjs').Checked}
 */
export function signaturesIn({ code, output }) {
  const report = parsed(output);
  const bad = [...(report?.invalid ?? []), ...(report?.missing ?? [])];
  if (bad.length > 0)
    return { problems: bad.map(({ name, version }) => `${name} ${version} has no valid signature.`) };
  if (code !== 0 || report === null) {
    const why = report?.error?.summary ?? output.trim().split('\n').at(-1) ?? '';
    return { problems: [], untested: [`signatures of the registry: ${why || 'no answer'}`] };
  }
  return { problems: [], said: ['signatures valid'] };
}

function parsed(output) {
  try {
    return JSON.parse(output.slice(output.indexOf('{')));
  } catch {
    return null; // npm said in words what is in the way
  }
}

function audit() {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', ['audit', 'signatures', '--json'], {
      ...{ cwd: projectRoot, timeout: limitMs, shell: process.platform === 'win32' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stderr, child.stdout])
      stream.on('data', (bytes) => {
        output += bytes;
      });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
