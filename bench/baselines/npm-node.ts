import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package in the folder whose script `empty` is `node -e 0`. */
export function emptyPackage(folder: string): void {
  const manifest = { name: 'empty', version: '1.0.0', scripts: { empty: 'node -e 0' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
}

/** Ms that `npm run -s WORDS` takes in the folder. */
export function npmRun(folder: string, words: readonly string[], env: NodeJS.ProcessEnv): number {
  const start = performance.now();
  const { status, stderr } = spawnSync('npm', ['run', '-s', ...words], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  const ms = performance.now() - start;
  if (status !== 0) throw new Error(`npm run ${words.join(' ')} ended with ${status}: ${stderr}`);
  return ms;
}
