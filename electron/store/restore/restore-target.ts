import { lstatSync, readdirSync, readlinkSync, realpathSync, renameSync, rmdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { syncFolder } from '../file/blob-store';
import { storeFailure, systemCode } from '../file/database';
import { makeFolder } from '../file/make-folder';

/** Begins the name of a folder in which a workspace is put together; the number of the process follows. */
export const UNFINISHED = 'waymark-restoring-';

/** Names that a fresh disk has of its own. */
const OF_THE_DISK: ReadonlySet<string> = new Set(['lost+found']);

/** Where a new workspace is put together and how it gets its place. */
export interface RestoreTarget {
  /** With every link resolved. */
  folder: string;
  /** The folder it is put together in, on the same disk. */
  unfinished: string;
  /** Gives the finished workspace its place. */
  finish(): void;
}

/**
 * Checks everything about a new workspace's place that can be checked before the work: what is there, links on the way,
 * length of its name, and that it does not lie in the workspace `from`, by whatever path. An empty folder that is there
 * (a disk's mount point, for one, which no rename replaces) is filled from within, `workspace.db` last.
 * @throws WaymarkError already_exists, bad_input
 */
export function restoreTarget(wanted: string, from: string | null): RestoreTarget {
  const folder = realPathOf(resolve(wanted));
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory()) {
    throw refused(
      'already_exists',
      wanted,
      'is a file',
      'Name a new folder: restoring never overwrites anything.',
    );
  }
  if (found !== undefined && readdirSync(folder).some((name) => !OF_THE_DISK.has(name))) {
    throw refused(
      'already_exists',
      wanted,
      'already exists and is not empty',
      'Name a new folder: restoring never overwrites anything.',
    );
  }
  if (from !== null && liesIn(folder, from)) {
    throw refused(
      'bad_input',
      wanted,
      'is inside the workspace that is being restored',
      'Name a folder outside of it.',
    );
  }
  const name = `${UNFINISHED}${process.pid}`;
  if (found !== undefined) {
    const unfinished = join(folder, name);
    return { folder, unfinished, finish: () => moveUp(unfinished, folder) };
  }
  const unfinished = join(dirname(folder), name);
  tryName(folder);
  return {
    folder,
    unfinished,
    finish: () => {
      renameSync(unfinished, folder);
      syncFolder(dirname(folder));
    },
  };
}

/** The path with the links of every folder that is there resolved. A link to nothing, or a file on the way, is refused. */
function realPathOf(path: string): string {
  const rest: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      if (lstatSync(at, { throwIfNoEntry: false }) !== undefined) {
        const real = realpathSync(at);
        if (rest.length === 0 || statSync(real).isDirectory()) return join(real, ...rest);
        throw refused('bad_input', path, `cannot be made: ${at} is a file`);
      }
    } catch (thrown) {
      const why = IN_THE_WAY[systemCode(thrown)];
      if (why === undefined) throw thrown;
      if (systemCode(thrown) === 'ENOENT') {
        throw refused(
          'bad_input',
          path,
          `cannot be made: ${at} is a link to ${readlinkSync(at)}, which is not there`,
        );
      }
      if (systemCode(thrown) !== 'ENOTDIR') throw refused('bad_input', path, why);
      // A file further up: it is met there.
    }
    if (dirname(at) === at) return path;
    rest.unshift(basename(at));
  }
}

const IN_THE_WAY: Readonly<Record<string, string>> = {
  ENOENT: 'is a link to nothing',
  ELOOP: 'is a link to itself',
  ENAMETOOLONG: 'has too long a name',
  ENOTDIR: 'has a file on its way',
};

/** Whether the disk takes this name for a folder: made and removed at once, while nothing is done yet. */
function tryName(folder: string): void {
  try {
    makeFolder(folder);
    rmdirSync(folder);
  } catch (thrown) {
    throw storeFailure(thrown, `The folder ${folder}`);
  }
}

/** By the identity of the folders, so that neither links, mounts nor the case of letters hide it. */
function liesIn(folder: string, from: string): boolean {
  const own = statSync(from, { throwIfNoEntry: false });
  if (own === undefined) return false;
  for (let at = folder; ; at = dirname(at)) {
    const found = statSync(at, { throwIfNoEntry: false });
    if (found !== undefined && found.dev === own.dev && found.ino === own.ino) return true;
    if (dirname(at) === at) return false;
  }
}

/** The database comes last: until then the folder is no workspace. */
function moveUp(unfinished: string, folder: string): void {
  const isLog = (name: string) => name.startsWith('workspace.db');
  const names = readdirSync(unfinished).sort(
    (a, b) => Number(isLog(a)) - Number(isLog(b)) || (a < b ? 1 : -1),
  );
  for (const name of names) renameSync(join(unfinished, name), join(folder, name));
  rmdirSync(unfinished);
  syncFolder(folder);
}

function refused(
  code: 'already_exists' | 'bad_input',
  path: string,
  why: string,
  next = 'Choose another folder.',
) {
  return new WaymarkError(code, `${path} ${why}. ${next}`);
}
