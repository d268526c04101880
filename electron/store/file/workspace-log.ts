import { lstatSync, readlinkSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { namesIn } from './names-in';

const RUN = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/** What a workspace keeps beside its log, by the names that it gives: a folder `runs` of somebody else is no part of one. */
const PARTS: readonly [string, RegExp][] = [
  ['backups', /^logs-.*\.db$/],
  ['blobs', /^[0-9a-f]{2}$/],
  ['checkpoints', RUN],
  ['locks', /^[0-9A-HJKMNP-TV-Z]{26}\.db$/],
  ['runs', RUN],
  ['sessions', RUN],
  ['tasks', /^[0-9a-f]{64}$/],
];

/** `none`: a new workspace may begin here. `lost`: with the reason, a sentence. */
export type LogState = { is: 'there' } | { is: 'none' } | { is: 'lost'; why: string };

/**
 * Looks for the file of a workspace's log. A log that was lost is not a new workspace: an empty one in its place would
 * disown runs, texts and files, and cleaning up would delete them.
 */
export function findLog(path: string): LogState {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) {
    const kind = found.isDirectory() ? 'a folder' : 'a device or a pipe';
    return { is: 'lost', why: `${path} is ${kind}, not a file.` };
  }
  if (found !== undefined && found.size > 0) return { is: 'there' };
  if (found === undefined && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    return { is: 'lost', why: `${path} is a link to ${readlinkSync(path)}, which is not there.` };
  }
  const parts = partsOf(path);
  if (parts.length === 0) return { is: 'none' };
  // Another process may have begun the workspace since, file first.
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) return { is: 'there' };
  const how = found === undefined ? 'missing' : 'empty';
  const why = `${path} is ${how}, but other parts of its workspace are there (${parts.join(', ')}).`;
  return { is: 'lost', why };
}

/** Whether there is a log, or false where a new workspace may begin. @throws WaymarkError workspace_corrupt where it was lost */
export function hasLog(path: string): boolean {
  const log = findLog(path);
  if (log.is === 'lost') throw lost(log.why);
  return log.is === 'there';
}

/** @throws WaymarkError workspace_corrupt where there is no log, or nothing in it */
export function requireLog(path: string): void {
  if (!hasLog(path)) throw lost(`${path} is missing or empty.`);
}

function partsOf(path: string): string[] {
  const folder = dirname(path);
  const parts = PARTS.filter(([part, name]) => namesIn(join(folder, part)).some((each) => name.test(each)));
  // An empty file beside commits that were not copied into it yet: SQLite would throw them away.
  const ahead = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return [...parts.map(([part]) => part), ...(ahead > 0 ? ['workspace.db-wal'] : [])];
}

function lost(what: string): WaymarkError {
  return new WaymarkError(
    'workspace_corrupt',
    `${what} Put the file back, or use "restore" to restore a backup into a new folder.`,
  );
}
