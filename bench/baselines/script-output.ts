import { spawn } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** `script -qf` writes what a command prints on a PTY to a file. Returns MB (10⁶ bytes) per second. */
export async function scriptOutput(folder: string, command: string): Promise<number> {
  const file = join(folder, `script-${process.hrtime.bigint()}.log`);
  const start = performance.now();
  await new Promise<void>((resolve, reject) => {
    const child = spawn('script', ['-qf', '-c', command, file], { stdio: ['ignore', 'ignore', 'inherit'] });
    child.once('error', reject);
    child.once('close', () => resolve());
  });
  const seconds = (performance.now() - start) / 1000;
  const { size } = statSync(file);
  rmSync(file);
  return size / 1e6 / seconds;
}
