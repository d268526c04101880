import { spawn } from 'node:child_process';
import { projectRoot } from './setup/project.mjs';

/**
 * Runs a program under this Node and keeps what it prints.
 *
 * @param {string[]} args script and its arguments
 * @param {{ env?: Record<string, string>, show?: boolean, within?: string[] }} [options] `show` prints it as it comes, too;
 *   `within`: a command that runs the program that follows it
 * @returns {Promise<{ code: number, output: string }>} code 1 when a signal ended it
 */
export function runProgram(args, { env = {}, show = false, within = [] } = {}) {
  return new Promise((resolve, reject) => {
    const [program, ...rest] = [...within, process.execPath, ...args];
    const child = spawn(program, rest, {
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
