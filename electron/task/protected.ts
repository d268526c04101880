import { join } from 'node:path/posix';
import type { FileSystemPort } from '../computer/port';

/** Hashes of protected files: workspace path (relative, `/`) → sha256. */
export type ProtectedHashes = Record<string, string>;

const MAX_ENTRIES = 100_000;

/** Hashes every protected file below the workspace root, links to files included. Missing ones are left out. */
export async function hashProtected(
  files: Pick<FileSystemPort, 'stat' | 'walk' | 'hash'>,
  root: string,
  paths: readonly string[],
): Promise<ProtectedHashes> {
  const hashes: ProtectedHashes = {};
  for (const path of paths) {
    const full = join(root, path);
    const facts = await files.stat(full);
    if (!facts) continue;
    if (facts.kind !== 'directory') {
      hashes[path] = await files.hash(full);
      continue;
    }
    const { entries } = await files.walk(full, { hidden: true, maxEntries: MAX_ENTRIES });
    for (const entry of entries) {
      if (entry.kind !== 'file') continue;
      hashes[entry.path.slice(root.replace(/\/+$/, '').length + 1)] = await files.hash(entry.path);
    }
  }
  return hashes;
}

/** Paths that were changed, added or removed since `before`, sorted. */
export async function changedProtected(
  files: Pick<FileSystemPort, 'stat' | 'walk' | 'hash'>,
  root: string,
  paths: readonly string[],
  before: ProtectedHashes,
): Promise<string[]> {
  if (paths.length === 0) return [];
  const now = await hashProtected(files, root, paths);
  const all = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...all].filter((path) => before[path] !== now[path]).sort();
}
