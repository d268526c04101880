import { join } from 'node:path/posix';
import { FileError } from '../computer/failures';
import type { FileSystemPort } from '../computer/port';

/** Hashes of protected files: workspace path (relative, `/`) → sha256. */
export type ProtectedHashes = Record<string, string>;

const MAX_ENTRIES = 100_000;

/** What stands for a hash where nothing can be read any more. */
const unreadable = 'unreadable';

type Files = Pick<FileSystemPort, 'stat' | 'walk' | 'hash'>;

/** Hashes every protected file below the workspace root, links to files included. Missing ones are left out. */
export async function hashProtected(
  files: Files,
  root: string,
  paths: readonly string[],
): Promise<ProtectedHashes> {
  const hashes: ProtectedHashes = {};
  for (const path of paths) Object.assign(hashes, await hashAt(files, root, path));
  return hashes;
}

async function hashAt(files: Files, root: string, path: string): Promise<ProtectedHashes> {
  const full = join(root, path);
  const facts = await files.stat(full);
  if (!facts) return {};
  if (facts.kind !== 'directory') return { [path]: await files.hash(full) };
  const hashes: ProtectedHashes = {};
  const { entries } = await files.walk(full, { hidden: true, maxEntries: MAX_ENTRIES });
  for (const entry of entries) {
    if (entry.kind !== 'file') continue;
    hashes[entry.path.slice(root.replace(/\/+$/, '').length + 1)] = await files.hash(entry.path);
  }
  return hashes;
}

/**
 * Paths that were changed, added or removed since `before`, sorted. One that can be read no more, because a pipe has taken its place or
 * its rights were taken away, was changed: that must not keep an evaluation from being made. @throws ComputerUnavailable
 */
export async function changedProtected(
  files: Files,
  root: string,
  paths: readonly string[],
  before: ProtectedHashes,
): Promise<string[]> {
  if (paths.length === 0) return [];
  const now: ProtectedHashes = {};
  for (const path of paths) {
    try {
      Object.assign(now, await hashAt(files, root, path));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      now[path] = unreadable;
    }
  }
  const all = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...all].filter((path) => before[path] !== now[path]).sort();
}
