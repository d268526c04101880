import { closeSync, constants, type Dirent, openSync, readdirSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { WORKSPACE_APPLICATION_ID } from '../../../store/file/database';
import { keyNames } from './key-places';

/** As many names of a folder are looked at; a data set of millions of files would keep a person waiting. */
export const mostNames = 20_000;

/** What a folder must not hold; `whole`: false where there were too many names to see all. */
export interface LookedThrough {
  /** To continue a sentence. */
  why: string | undefined;
  whole: boolean;
}

/** Whether a folder is a workspace of Waymark, this one or another: its database says so. */
export function isWorkspace(folder: string): boolean {
  const field = Buffer.alloc(4);
  // A pipe of that name, which an agent may have made, must keep nobody waiting.
  try {
    const file = openSync(join(folder, 'workspace.db'), constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      readSync(file, field, 0, 4, 68);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(code)) return false;
    // What cannot be looked at counts as one.
    return code !== 'ENXIO';
  }
  return field.readUInt32BE(0) === WORKSPACE_APPLICATION_ID;
}

/** The workspace that a path is or lies in. */
export function workspaceAbove(path: string): string | undefined {
  if (isWorkspace(path)) return path;
  return path === dirname(path) ? undefined : workspaceAbove(dirname(path));
}

/** Looks through a folder, level by level, for keys and workspaces; links are not followed, they lead nowhere inside. */
export function lookThrough(folder: string): LookedThrough {
  let level = [folder];
  let left = mostNames;
  while (level.length > 0) {
    const next: string[] = [];
    for (const each of level) {
      const names = entriesOf(each);
      left -= names.length;
      const key = names.find(({ name }) => keyNames.has(name));
      if (key !== undefined)
        return { why: `${join(each, key.name)} holds keys or personal data`, whole: true };
      if (names.some(({ name }) => name === 'workspace.db') && isWorkspace(each))
        return { why: `${each} is a workspace of Waymark, with its log and its runs`, whole: true };
      if (left < 0) return { why: undefined, whole: false };
      next.push(...names.filter((entry) => entry.isDirectory()).map(({ name }) => join(each, name)));
    }
    level = next;
  }
  return { why: undefined, whole: true };
}

/** What this process may not read, programs inside may not either. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOTDIR', 'ENOENT', 'EACCES', 'EPERM'].includes(code)) return [];
    throw error;
  }
}
