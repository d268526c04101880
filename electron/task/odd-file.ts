import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** The first thing below a folder at rest that is neither a regular file nor a folder, in words; undefined when there is none. */
export async function oddFile(root: string): Promise<string | undefined> {
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const name = relative(root, folder).slice(-200);
    let entries: Dirent[];
    try {
      entries = await readdir(folder, { withFileTypes: true });
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      return `${name}, which cannot be read (${code})`;
    }
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (!entry.isFile()) return `${relative(root, path).slice(-200)}, which is ${kindOf(entry)}`;
    }
  }
  return undefined;
}

function kindOf(entry: Dirent): string {
  if (entry.isSymbolicLink()) return 'a link';
  if (entry.isFIFO()) return 'a FIFO';
  return entry.isSocket() ? 'a socket' : 'no regular file';
}
