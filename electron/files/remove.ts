import { readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { HeldFolder, notDeleted } from './held-folder';
import { isPlainName } from './inside';

/*
 * Everything that Waymark deletes on this machine goes through here; `raw-removal.test.ts` finds what does not. What goes is
 * named by a folder of ours and plain names below it. No link is followed on the way or inside, and what is mounted inside from
 * another file system is somebody else's.
 */

export interface Removal {
  /** What must stand there, else it is refused; default: whatever stands there. */
  kind?: 'folder' | 'file';
  /**
   * Only what this user owns, for folders in which others may make entries too: a name there says nothing about who made it.
   */
  owned?: boolean;
}

/** Entries between two turns of whoever else uses the thread. */
const TURN = 200;
/** Somebody may still be writing into a folder while it goes. */
const TRIES = 3;

/**
 * Deletes what `names` lead to below `root`, a folder with all that is in it; a link goes itself, and what is not there is gone
 * already. @throws WaymarkError refused, workspace_corrupt for a name that is none; the system's errors
 */
export async function remove(root: string, names: readonly string[], options: Removal = {}): Promise<void> {
  await tolerant(async () => {
    const above = holdAbove(root, names);
    try {
      await removeEntry(above, names.at(-1) ?? '', options);
    } finally {
      above.close();
    }
  });
}

/** The same for a path that a person or a task named as a whole: only its last name is Waymark's. */
export function removeAt(path: string, options: Removal = {}): Promise<void> {
  return remove(dirname(path), [basename(path)], options);
}

/** The same for one file, or the link in its place, within a transaction. @throws as `remove` */
export function removeFile(root: string, ...names: string[]): void {
  try {
    const above = holdAbove(root, names);
    try {
      unlinkSync(above.entry(names.at(-1) ?? ''));
    } finally {
      above.close();
    }
  } catch (thrown) {
    if (!isAbsent(thrown)) throw thrown;
  }
}

/** The folder that holds the last of the names. */
function holdAbove(root: string, names: readonly string[]): HeldFolder {
  const wrong = names.length === 0 ? '' : names.find((name) => !isPlainName(name));
  if (wrong !== undefined) {
    throw new WaymarkError(
      'workspace_corrupt',
      `${JSON.stringify(wrong.slice(0, 60))} is not a valid name below ${root}. Nothing was deleted.`,
    );
  }
  let held = HeldFolder.root(root);
  for (const name of names.slice(0, -1)) {
    const above = held;
    try {
      held = above.below(name);
    } finally {
      above.close();
    }
  }
  return held;
}

async function removeEntry(
  above: HeldFolder,
  name: string | Buffer,
  { kind, owned }: Removal,
): Promise<void> {
  const path = join(above.path, name.toString());
  const found = above.look(name);
  if (owned === true && !isOurs(found.uid)) throw notDeleted(path, "another user's");
  if (!found.isDirectory()) {
    if (kind === 'folder') throw notDeleted(path, found.isSymbolicLink() ? 'a link' : 'not a folder');
    unlinkSync(above.entry(name));
    return;
  }
  if (kind === 'file') throw notDeleted(path, 'a folder');
  const folder = above.below(name);
  try {
    // It may have been exchanged since the look.
    if (owned === true && !isOurs(folder.uid)) throw notDeleted(path, "another user's");
    if (folder.device !== above.device) throw notDeleted(path, 'another file system that is mounted there');
    await empty(folder);
  } finally {
    folder.close();
  }
  rmdirSync(above.entry(name));
}

async function empty(folder: HeldFolder): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const entries = readdirSync(folder.at, { encoding: 'buffer' });
    if (entries.length === 0) return;
    for (const [index, name] of entries.entries()) {
      await tolerant(() => removeEntry(folder, name, {}));
      if (index % TURN === TURN - 1) await new Promise((resolve) => setImmediate(resolve));
    }
  }
  if (readdirSync(folder.at).length === 0) return;
  throw notDeleted(folder.path, 'still being written into');
}

/** Whoever else deletes the same was first. */
async function tolerant(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    if (!isAbsent(thrown)) throw thrown;
  }
}

function isAbsent(thrown: unknown): boolean {
  return (thrown as NodeJS.ErrnoException).code === 'ENOENT';
}

/** Systems without users have one. */
function isOurs(uid: number): boolean {
  return process.getuid === undefined || process.getuid() === uid;
}
