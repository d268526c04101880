import { join } from 'node:path';
import { isInside, type PackageEntry } from './package-files';

/** What one copying step takes from the package. */
export interface PackagePart {
  /** Folder on this machine that the entries' paths are relative to. */
  source: string;
  entries: PackageEntry[];
  /** Name of the one file when `from` is a file and not a folder. */
  single: string | null;
}

/** @throws Error when the package holds nothing of that name */
export function partOf(packageFolder: string, entries: readonly PackageEntry[], from: string): PackagePart {
  const bare = from.replace(/\/+$/, '');
  const file = entries.find(({ path }) => path === bare);
  const cut = bare.lastIndexOf('/');
  if (file) {
    const single = bare.slice(cut + 1);
    const source = cut < 0 ? packageFolder : join(packageFolder, bare.slice(0, cut));
    return { source, entries: [{ ...file, path: single }], single };
  }
  const below = entries.filter(({ path }) => path.startsWith(`${bare}/`));
  if (below.length === 0) throw new Error(`${from} is not in the package.`);
  const source = join(packageFolder, bare);
  if (!isInside(packageFolder, source)) throw new Error(`${from} leaves the package.`);
  return {
    source,
    entries: below.map((entry) => ({ ...entry, path: entry.path.slice(bare.length + 1) })),
    single: null,
  };
}

/** Name of the folder beside the target in which a copy is made before it takes its place. */
export function draftName(from: string): string {
  return `.waymark-${from.replace(/\/+$/, '').replaceAll('/', '-')}.partial`;
}
