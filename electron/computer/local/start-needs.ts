import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, readFile, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomically } from '../../base/atomic-file';
import { SessionError } from '../failures';
import { absentIsUndefined } from './session-files';

const maxLimitBytes = 8 * 1024 ** 3;

/** The shell's start file in the directory of all sessions, named by content so that versions do not disturb each other. */
export async function placeStartFile(sessionsDir: string, resourcesDir: string): Promise<string> {
  const source = await readFile(join(resourcesDir, 'sessions', 'session.bash'));
  const digest = createHash('sha256').update(source).digest('hex').slice(0, 16);
  const path = join(sessionsDir, `.start-${digest}.bash`);
  if (!(await absentIsUndefined(stat(path)))) {
    await writeAtomically(path, source, 0o600);
  }
  return path;
}

/** How much output may wait for whoever fetches it: 8 GB, or half of what is free on that disk if that is less. */
export async function defaultLimit(sessionsDir: string): Promise<number> {
  const { bavail, bsize } = await statfs(sessionsDir);
  return Math.max(1, Math.floor(Math.min(maxLimitBytes, (bavail * bsize) / 2)));
}

/** @throws SessionError shell_missing */
export async function findBash(session: string): Promise<string> {
  for (const path of ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/opt/homebrew/bin/bash']) {
    try {
      await access(path, constants.X_OK);
      return path;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'ENOENT' && code !== 'EACCES' && code !== 'ENOTDIR') throw error;
    }
  }
  throw new SessionError(
    'shell_missing',
    session,
    'Sessions need bash, and none was found in /bin or /usr/bin. Install it.',
  );
}
