import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, statfsSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './store-fixtures';

/**
 * A folder with a small file system of its own until the test is over; null where mounting one is not possible: it needs
 * root on Linux. `options`: as `mount -o` of a tmpfs takes them.
 */
export function smallDisk(options: string): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    return null;
  }
  const folder = join(temporaryFolder(), 'disk');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' });
  } catch (thrown) {
    // A container without the right to mount.
    if (thrown instanceof Error && 'status' in thrown) {
      return null;
    }
    throw thrown;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  return folder;
}

/** Takes every file that the file system can still make; returns their paths. */
export function takeAllFiles(disk: string): string[] {
  const folder = join(disk, 'taken');
  mkdirSync(folder);
  const taken: string[] = [];
  while (statfsSync(disk).ffree > 0) {
    const path = join(folder, String(taken.length));
    writeFileSync(path, '');
    taken.push(path);
  }
  return taken;
}

/** Takes every byte that the file system still has; returns the file that holds them. */
export function fillDisk(disk: string): string {
  const path = join(disk, 'filler');
  const file = openSync(path, 'a');
  const piece = Buffer.alloc(4096);
  try {
    for (;;) writeSync(file, piece);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOSPC') throw thrown;
  } finally {
    closeSync(file);
  }
  return path;
}
