import { cp, lstat } from 'node:fs/promises';
import { systemCode } from '../file/database';

/** Copies a folder, links as links; sockets and pipes stay. What could not be copied, in words; a folder that is not there is fine. */
export async function copyTree(from: string, to: string): Promise<string[]> {
  try {
    await cp(from, to, {
      recursive: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
      filter: async (path) => {
        const found = await lstat(path);
        return found.isFile() || found.isDirectory() || found.isSymbolicLink();
      },
    });
    return [];
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === 'ENOENT' && (await isGone(from))) {
      return [];
    }
    if (code === '' || code === 'ENOSPC' || code === 'EDQUOT') {
      throw thrown;
    }
    return [`${from} could not be copied whole: ${thrown instanceof Error ? thrown.message : code}`];
  }
}

async function isGone(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return false;
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') {
      return true;
    }
    throw thrown;
  }
}
