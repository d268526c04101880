import {
  chmodSync,
  closeSync,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { inside } from './inside';
import { WORKSPACE_PARTS } from './workspace-paths';

/*
 * Who may look into a workspace: its owner alone (0700, files 0600), whatever the umask says. A workspace that several users of
 * one computer write is shared on purpose: its folder belongs to a group, which may write in it and passes itself on
 * (`chmod g+ws`). There, folders get 2770 and files 660. Nothing else opens a workspace to others.
 */

const OWN = { folder: 0o700, file: 0o600 };
const SHARED = { folder: 0o2770, file: 0o660 };
/** Set-group-id and group-write: nobody gets both by a umask. */
const SHARED_BITS = 0o2020;
const OTHERS = 0o077;

/** Modes of what is made in the workspace. */
export function modesIn(workspace: string): { folder: number; file: number } {
  const { mode } = statSync(workspace);
  return (mode & SHARED_BITS) === SHARED_BITS ? SHARED : OWN;
}

/** Makes folders below a workspace, one below the other; returns the highest that was new, or null. */
export function makeFoldersIn(workspace: string, ...names: readonly string[]): string | null {
  let first: string | null = null;
  let mode: number | undefined;
  for (let depth = 1; depth <= names.length; depth += 1) {
    const path = inside(workspace, ...names.slice(0, depth));
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) continue;
    mode ??= modesIn(workspace).folder;
    try {
      mkdirSync(path, { mode });
      // The umask has taken bits away.
      if (mode !== OWN.folder) chmodSync(path, mode);
      first ??= path;
    } catch (thrown) {
      // Another process was first.
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST' || !lstatSync(path).isDirectory()) throw thrown;
    }
  }
  return first;
}

/** Makes an empty file for whoever opens it next, SQLite say, which gives what it adds beside it the same mode. */
export function makeFileIn(workspace: string, ...names: readonly string[]): string {
  const path = inside(workspace, ...names);
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return path;
  const { file: mode } = modesIn(workspace);
  let file: number;
  try {
    file = openSync(path, 'wx', mode);
  } catch (thrown) {
    // Another process was first.
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return path;
    throw thrown;
  }
  try {
    if (mode !== OWN.file) fchmodSync(file, mode);
  } finally {
    closeSync(file);
  }
  return path;
}

/**
 * Takes from others what earlier versions gave them: of what this user owns in a workspace that is not shared, its folder, the
 * files and the folders at its top. What lies deeper cannot be reached then. A folder that holds other things as well keeps its
 * own mode.
 */
export function closeToOthers(workspace: string): void {
  const me = process.getuid?.();
  if (me === undefined || modesIn(workspace) === SHARED) return;
  const close = (path: string): void => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || found.isSymbolicLink() || found.uid !== me || (found.mode & OTHERS) === 0)
      return;
    chmodSync(path, found.mode & 0o7700);
  };
  for (const name of WORKSPACE_PARTS) close(join(workspace, name));
  const parts: readonly string[] = WORKSPACE_PARTS;
  if (readdirSync(workspace).every((name) => parts.includes(name))) close(workspace);
}
