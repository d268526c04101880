import { spawn } from 'node:child_process';
import { projectRoot } from './setup/project.mjs';

/**
 * Runs a program under this Node and keeps what it prints.
 *
 * @param {string[]} args script and its arguments
 * @param {{ env?: Record<string, string>, show?: boolean }} [options] `show` prints it as it comes, too
 * @returns {Promise<{ code: number, output: string }>} code 1 when a signal ended it
 */
export function runProgram(args, { env = {}, show = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: projectRoot,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const chunks = [];
    for (const [stream, target] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ]) {
      stream.on('data', (bytes) => {
        chunks.push(bytes);
        if (show) target.write(bytes);
      });
    }
    child.once('error', reject);
    child.once('close', (code) =>
      resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString('utf8') }),
    );
  });
}
