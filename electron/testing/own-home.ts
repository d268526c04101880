import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder, currentRuntime } from '../store/file/native-binding';

/**
 * Vitest global set-up: tests have a home of their own. Shells on this computer read the start-up files they find at home, and
 * a developer's may take a second before each prompt, or print something.
 */
export function setup(): () => void {
  const { HOME } = process.env;
  // What set-up built stays where it is.
  process.env.WAYMARK_CACHE ??= cacheFolder(currentRuntime());
  const home = mkdtempSync(join(tmpdir(), 'waymark-home-'));
  process.env.HOME = home;
  return () => {
    process.env.HOME = HOME;
    rmSync(home, { recursive: true, force: true });
  };
}
