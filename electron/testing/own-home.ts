import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder, currentRuntime } from '../store/file/native-binding';

/**
 * Vitest global set-up: tests have a home of their own. Shells on this computer read the start-up files that they find at home, and
 * a developer's may take a second before each prompt, or print something. `python3` is the interpreter itself: what a version
 * manager puts in its place starts twenty programs each time.
 */
export function setup(): () => void {
  const { HOME, PATH } = process.env;
  const home = mkdtempSync(join(tmpdir(), 'waymark-home-'));
  // What set-up built stays where it is.
  process.env.WAYMARK_CACHE ??= cacheFolder(currentRuntime());
  const python = interpreter();
  if (python !== '') {
    const programs = join(home, 'bin');
    mkdirSync(programs);
    symlinkSync(python, join(programs, 'python3'));
    process.env.PATH = `${programs}:${PATH}`;
  }
  process.env.HOME = home;
  return () => {
    Object.assign(process.env, { HOME, PATH });
    rmSync(home, { recursive: true, force: true });
  };
}

/** '' where there is no python3: the tests that need one say so themselves. */
function interpreter(): string {
  const program = 'import os, sys; print(os.path.realpath(sys.executable))';
  const { status, stdout } = spawnSync('python3', ['-I', '-c', program], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '';
}
