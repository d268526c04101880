import { type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { SharedFolder } from '../computer/local/sandbox/sandbox-view';

/**
 * A value of `--show`: `FOLDER`, or `FOLDER:rw` for one that may be written. What is not there is for the sandbox to say.
 * @throws WaymarkError bad_input: no name, or what stands there is no folder
 */
export function shownFolder(word: string): SharedFolder {
  const write = word.endsWith(':rw');
  const name = write ? word.slice(0, -3) : word;
  if (name.trim() === '') {
    throw new WaymarkError(
      'bad_input',
      `--show is "${word}", which names no folder. Name the folder to show to the run, as in --show /data/sets or --show /data/sets:rw; "." is the current one.`,
    );
  }
  // Shells leave `~` alone within quotes; nobody means a folder of that name.
  const path = /^~(?:\/|$)/.test(name) ? join(homedir(), name.slice(1)) : resolve(name);
  const there = statSync(path, { throwIfNoEntry: false });
  if (there !== undefined && !there.isDirectory()) {
    throw new WaymarkError(
      'bad_input',
      `--show names ${path}, which is ${kindOf(there)}, not a folder. Only whole folders can be shown: name the one it lies in, or another.`,
    );
  }
  return { path, write };
}

function kindOf(there: Stats): string {
  if (there.isFile()) return 'a file';
  if (there.isFIFO()) return 'a named pipe';
  return there.isSocket() ? 'a socket' : 'a device';
}
