import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

/** One entry of a package. `path` is relative with `/` between parts. */
export interface PackageEntry {
  path: string;
  kind: 'file' | 'link';
  /** Only whether the owner may execute it counts, so that an umask does not change the content hash. */
  executable: boolean;
  size: number;
  /** Target of a link, relative and inside the package; null for a file. */
  target: string | null;
}

export interface EntryProblem {
  path: string;
  cause: string;
  next: string;
}

/** More than this is taken for the wrong folder. */
export const MAX_PACKAGE_FILES = 100_000;
export const MAX_PACKAGE_BYTES = 256 * 1024 ** 3;

const ignored = new Set(['.git', '.DS_Store']);

/**
 * Lists a package's files in code-point order of their paths. `.git` and `.DS_Store` are left out. Links that
 * leave the package, absolute or dangling ones, devices and sockets are problems.
 */
export async function listPackage(
  folder: string,
): Promise<{ entries: PackageEntry[]; problems: EntryProblem[] }> {
  const entries: PackageEntry[] = [];
  const problems: EntryProblem[] = [];
  const root = await realpath(folder);
  let bytes = 0;
  const pending = [''];
  while (pending.length > 0) {
    const below = pending.pop() ?? '';
    for (const item of await readdir(join(root, below), { withFileTypes: true })) {
      if (ignored.has(item.name)) continue;
      const path = below === '' ? item.name : `${below}/${item.name}`;
      if (item.isDirectory()) {
        pending.push(path);
        continue;
      }
      if (item.isSymbolicLink()) {
        const problem = await linkProblem(root, path);
        if (problem) problems.push(problem);
        else {
          const target = await readlink(join(root, path));
          entries.push({ path, kind: 'link', executable: false, size: 0, target });
        }
        continue;
      }
      if (!item.isFile()) {
        problems.push({ path, cause: 'is neither a file nor a folder', next: 'Remove it from the package.' });
        continue;
      }
      const facts = await lstat(join(root, path));
      bytes += facts.size;
      entries.push({
        path,
        kind: 'file',
        executable: (facts.mode & 0o100) !== 0,
        size: facts.size,
        target: null,
      });
    }
    if (entries.length > MAX_PACKAGE_FILES) {
      problems.push({
        path: '.',
        cause: `holds more than ${MAX_PACKAGE_FILES.toLocaleString('en')} files`,
        next: 'Check that this is the folder of a task package, and pack data sets into archives.',
      });
      break;
    }
  }
  if (bytes > MAX_PACKAGE_BYTES) {
    problems.push({
      path: '.',
      cause: `holds ${(bytes / 1024 ** 3).toFixed(0)} GB, more than ${MAX_PACKAGE_BYTES / 1024 ** 3} GB`,
      next: 'Keep large data on the computer and link it with computers[].setup.link.',
    });
  }
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { entries, problems };
}

async function linkProblem(root: string, path: string): Promise<EntryProblem | null> {
  const target = await readlink(join(root, path));
  if (isAbsolute(target)) {
    return {
      path,
      cause: `is a link to the absolute path ${target}`,
      next: 'Link with a relative path, or copy the file.',
    };
  }
  const lexical = resolve(root, path, '..', target);
  if (!isInside(root, lexical)) {
    return {
      path,
      cause: `is a link that leaves the package (${target})`,
      next: 'Copy the file into the package.',
    };
  }
  try {
    if (!isInside(root, await realpath(join(root, path)))) {
      return {
        path,
        cause: `is a link that leaves the package (${target})`,
        next: 'Copy the file into the package.',
      };
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    return {
      path,
      cause: `is a link to ${target}, which cannot be followed (${code})`,
      next: 'Fix or remove the link.',
    };
  }
  return null;
}

/** Whether `path` is `folder` or below it; both absolute and resolved. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (!isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`));
}

/**
 * sha256 in hex over every entry in order: path, kind, executable bit and content. The same for equal content anywhere.
 * @param hashOf sha256 in hex of the file at a path
 */
export async function hashPackage(
  folder: string,
  entries: readonly PackageEntry[],
  hashOf: (path: string) => Promise<string> = hashFile,
): Promise<string> {
  const whole = createHash('sha256').update('waymark task package 1\n');
  for (const entry of entries) {
    const content = entry.kind === 'link' ? (entry.target ?? '') : await hashOf(join(folder, entry.path));
    whole.update(JSON.stringify([entry.path, entry.kind, entry.executable, content])).update('\n');
  }
  return whole.digest('hex');
}

/** sha256 of a file in hex, streamed. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
