import { createHash } from 'node:crypto';
import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { isId } from '@shared/contract/id';
import { inside, isPlainName } from './inside';

/*
 * Where everything lies in a workspace. No other module joins a path below one from something that was read: rows and file
 * names of a workspace that somebody else made say what they like. Each function refuses what is no id or name, and a link on
 * the way (`inside`); both make the run unreadable (`workspace_corrupt`), and the rest of the workspace goes on.
 */

/** What Waymark makes at the top of a workspace. None of it may be a link. */
export const WORKSPACE_PARTS = [
  ...['workspace.db', 'workspace.db-wal', 'workspace.db-shm', 'workspace.db-journal'],
  ...['search.db', 'search.db-wal', 'search.db-shm', 'search.db-journal', 'ballast'],
  ...['backups', 'blobs', 'cache', 'checkpoints', 'datasets', 'locks', 'logs', 'runs'],
  ...['sessions', 'spools', 'tasks'],
] as const;

/** @throws WaymarkError workspace_corrupt for what is no run id */
export function parsedRun(run: string): string {
  if (isId(run)) return run;
  throw new WaymarkError(
    'workspace_corrupt',
    `${shownId(run)} is used as a run, but is not a valid id. Nothing was read, written or deleted under it. Run "verify" to see what is affected.`,
  );
}

/** What stands where an id should, short enough for a message. */
export function shownId(run: string): string {
  return JSON.stringify(run.length > 60 ? `${run.slice(0, 60)}…` : run);
}

/** `runs/<run>`: the agent's files, evaluations and heartbeat of one run. */
export function runFolder(workspace: string, run: string): string {
  return inside(workspace, 'runs', parsedRun(run));
}

/** `checkpoints/<run>`: copies of the agent's files on this machine. */
export function checkpointsFolder(workspace: string, run: string): string {
  return inside(workspace, 'checkpoints', parsedRun(run));
}

/** `locks/<run>.db`: who drives the run. */
export function runLockPath(workspace: string, run: string): string {
  return inside(workspace, 'locks', `${parsedRun(run)}.db`);
}

/** `locks/<work>.db`: who does what only one process may do at a time. */
export function workLockPath(workspace: string, work: 'backup' | 'indexer'): string {
  return inside(workspace, 'locks', `${work}.db`);
}

/** `locks/judge-<sha>.db`: who asks the judge of that name, which may hold anything. */
export function judgeLockPath(workspace: string, judge: string): string {
  const digest = createHash('sha256').update(judge).digest('hex').slice(0, 32);
  return inside(workspace, 'locks', `judge-${digest}.db`);
}

/** `sessions/<run>/<uid>`: what one session printed. @throws WaymarkError bad_input for a name that may not become a folder */
export function sessionFolder(workspace: string, run: string, uid: string): string {
  if (!/^[\w.-]{1,100}$/.test(uid) || !isPlainName(uid)) {
    throw new WaymarkError('bad_input', 'This session id cannot be used as a folder name.', uid);
  }
  return inside(workspace, 'sessions', parsedRun(run), uid);
}

/** `blobs/<2>/<sha>`: a text over 256 KB. */
export function blobPath(workspace: string, hex: string): string {
  return inside(workspace, 'blobs', hex.slice(0, 2), parsedSha(hex));
}

/** `tasks/<sha>`: a package by its content, which runs pin. */
export function packageFolder(workspace: string, hash: string): string {
  return inside(workspace, 'tasks', parsedSha(hash));
}

/** `cache/attention`: what the inbox found, by run. */
export function attentionFolder(workspace: string): string {
  return inside(workspace, 'cache', 'attention');
}

/** `datasets`: what was exported from this workspace, and what is being exported. */
export function datasetsFolder(workspace: string): string {
  return inside(workspace, 'datasets');
}

/** `datasets/<sha><end>`: one past export, by the sha256 of its manifest. */
export function datasetPath(workspace: string, id: string, end: '.json' | '.index.gz'): string {
  return inside(workspace, 'datasets', `${parsedSha(id)}${end}`);
}

/** `datasets/job-<id>.json`: one export that is not done. */
export function exportJobPath(workspace: string, job: string): string {
  return inside(workspace, 'datasets', `job-${parsedRun(job)}.json`);
}

/** `logs/driver-<run>.log`: output of a background driver. */
export function driverLog(workspace: string, run: string): string {
  return inside(workspace, 'logs', `driver-${parsedRun(run)}.log`);
}

/** `logs/judge-<batch>.log`: output of the process that works on a batch of a judge. */
export function judgeLog(workspace: string, batch: string): string {
  return inside(workspace, 'logs', `judge-${parsedRun(batch)}.log`);
}

/** `spools/<run>`: sessions of one run on this machine. */
export function spoolFolder(spools: string, run: string): string {
  return inside(spools, parsedRun(run));
}

function parsedSha(hex: string): string {
  if (/^[0-9a-f]{64}$/.test(hex)) return hex;
  throw new WaymarkError(
    'workspace_corrupt',
    `${shownId(hex)} is used for a text, a task package or a dataset, but is not a SHA-256. Run "verify" to see what is affected.`,
  );
}

/**
 * A file or folder that a person names for something new is no part of a workspace, whatever links lead there: what lies under
 * such a name is replaced. @param path absolute @throws WaymarkError bad_input
 */
export async function refuseWorkspacePart(path: string): Promise<void> {
  const whole = await withoutLinks(path);
  for (let folder = dirname(whole); ; folder = dirname(folder)) {
    const [name = ''] = relative(folder, whole).split(sep);
    const isPart = (WORKSPACE_PARTS as readonly string[]).includes(name.toLowerCase());
    if (isPart && (await isFile(join(folder, 'workspace.db')))) {
      throw new WaymarkError(
        'bad_input',
        `${path} was not written: ${join(folder, name)} is part of a Waymark workspace, and what it holds would be lost. Choose another place.`,
      );
    }
    if (dirname(folder) === folder) return;
  }
}

/** Links that lead into one another are followed so often, as Linux does. */
const MOST_LINKS = 40;

/** The path as the system follows it; its end may not be there yet, also behind a link. @param path absolute */
export async function withoutLinks(path: string, links = MOST_LINKS): Promise<string> {
  const real = await unlessMissing(realpath(path));
  if (real !== null) return real;
  const parent = dirname(path);
  if (parent === path) return path;
  const place = join(await withoutLinks(parent, links), basename(path));
  const leads = links > 0 && (await unlessMissing(lstat(place)))?.isSymbolicLink() === true;
  return leads ? withoutLinks(resolve(dirname(place), await readlink(place)), links - 1) : place;
}

async function isFile(path: string): Promise<boolean> {
  return (await unlessMissing(stat(path)))?.isFile() === true;
}

/** What may not be looked at is refused by whoever writes there, with the system's reason. */
async function unlessMissing<T>(looking: Promise<T>): Promise<T | null> {
  try {
    return await looking;
  } catch (thrown) {
    if ('code' in (thrown as object)) return null;
    throw thrown;
  }
}
