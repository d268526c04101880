import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';

/**
 * A path below a folder of ours, name by name. Names come from rows, file names and ids, and none may lead anywhere else: each
 * is one plain name, and what is there on the way is a folder or a regular file, no link, pipe, device or socket. `root` itself
 * may be reached through links, as a person wrote it.
 * @throws WaymarkError workspace_corrupt for a name that is none, or something else on the way
 */
export function inside(root: string, ...names: readonly string[]): string {
  let path = root;
  let there = true;
  for (const name of names) {
    if (!isPlainName(name)) {
      throw new WaymarkError(
        'workspace_corrupt',
        `${JSON.stringify(name.slice(0, 60))} is not a valid name of a file or folder below ${root}. Nothing was read, written or deleted under it.`,
      );
    }
    path = join(path, name);
    const found: Stats | undefined = there ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
    there = found !== undefined;
    if (found?.isSymbolicLink() === true) {
      throw new WaymarkError(
        'workspace_corrupt',
        `${path} is a link. Waymark follows none below ${root}: put the file or folder itself in its place.`,
      );
    }
    if (found !== undefined && !found.isFile() && !found.isDirectory()) {
      throw new WaymarkError(
        'workspace_corrupt',
        `${path} is neither a file nor a folder, but a pipe, a device or a socket. Remove it: nothing below ${root} is one.`,
      );
    }
  }
  return path;
}

/** One step down: no separator, no way up, nothing that ends a C string. */
export function isPlainName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\\\0]/.test(name);
}
