import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeAt, removeFile } from '../../files/remove';
import { systemCode } from '../file/database';
import { UNFINISHED } from './restore-target';

/** Tells a folder in which a workspace was being put together from anybody else's of that name. */
const MARK = '.waymark-restoring';

export function mark(unfinished: string): void {
  writeFileSync(join(unfinished, MARK), String(process.pid), { flag: 'wx' });
}

export function unmark(unfinished: string): void {
  removeFile(unfinished, MARK);
}

/** Removes what killed processes left in a folder of an unfinished workspace; the paths. Those of living ones stay. */
export async function removeLeftovers(folder: string): Promise<string[]> {
  const removed: string[] = [];
  for (const name of namesIn(folder)) {
    const pid = name.startsWith(UNFINISHED) ? Number(name.slice(UNFINISHED.length)) : Number.NaN;
    const path = join(folder, name);
    if (!Number.isSafeInteger(pid) || pid < 1 || isAlive(pid) || !existsSync(join(path, MARK))) continue;
    await removeAt(path, { kind: 'folder', owned: true });
    removed.push(path);
  }
  return removed;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // It is there and somebody else's.
    return systemCode(thrown) === 'EPERM';
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    // It is made, or refused by name, when the workspace is put there.
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG', 'ELOOP'].includes(systemCode(thrown))) return [];
    throw thrown;
  }
}
