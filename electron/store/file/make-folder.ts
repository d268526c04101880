import { lstatSync, mkdirSync, readlinkSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { systemCode } from './database';

/**
 * Makes a folder and those above it. `mkdir` of Node with `recursive` never ends where the system says that a folder is
 * missing although it is there, as below /proc; this one asks once for each folder.
 * `mode`: of the folder itself where it is new; those above it get the usual one.
 * @throws WaymarkError bad_input with what is in the way; what the disk says of a full or read-only one comes as it is
 */
export function makeFolder(folder: string, mode = 0o777): void {
  const missing: string[] = [];
  let path = resolve(folder);
  for (; !isThere(path, folder) && dirname(path) !== path; path = dirname(path)) missing.unshift(path);
  for (const each of missing) makeOne(each, folder, each === missing.at(-1) ? mode : 0o777);
}

/** Whether the folder is there. A file or a link to nothing in its place never becomes one. */
function isThere(path: string, wanted: string): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) return true;
    if (found !== undefined) throw refused(wanted, `${path} is a file`);
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return false;
    throw refused(wanted, `${path} is a link to ${readlinkSync(path)}, which is not there`);
  } catch (thrown) {
    // A file further up: it is found there.
    if (systemCode(thrown) === 'ENOTDIR') return false;
    throw named(thrown, wanted, path);
  }
}

function makeOne(path: string, wanted: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (thrown) {
    // Another process was first.
    if (systemCode(thrown) === 'EEXIST' && isThere(path, wanted)) return;
    throw named(thrown, wanted, path);
  }
}

function named(thrown: unknown, wanted: string, path: string): unknown {
  switch (systemCode(thrown)) {
    case 'ENOENT':
      return refused(wanted, `${dirname(path)} does not accept new folders`);
    case 'ENAMETOOLONG':
      return refused(wanted, 'a name is too long');
    case 'ELOOP':
      return refused(wanted, `${path} is a link to itself`);
    default:
      return thrown;
  }
}

function refused(wanted: string, why: string): WaymarkError {
  return new WaymarkError('bad_input', `The folder ${wanted} cannot be made: ${why}. Choose another folder.`);
}
