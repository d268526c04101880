import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { applicationUser, electronLaunch } from '../scripts/launch.mjs';

const entry = join(import.meta.dirname, '..', 'out', 'main', 'cli.js');

/** Asks the command line about a workspace, as the user that the application runs as. */
export function commandLine<T>(place: { folder: string; workspace: string }, ...args: string[]): T {
  if (!existsSync(entry)) throw new Error('The command line is not built.');
  const user = applicationUser();
  const answer = spawnSync(process.execPath, [entry, ...args, '--workspace', place.workspace, '--json'], {
    encoding: 'utf8',
    maxBuffer: 64e6,
    env: { ...electronLaunch().env, WAYMARK_DATA: join(place.folder, 'cli-data'), HOME: place.folder },
    ...(user === null ? {} : { uid: user.uid, gid: user.gid }),
  });
  const last = answer.stdout.trim().split('\n').at(-1);
  if (!last) throw new Error(`The command line said nothing: ${answer.stderr}`);
  const value = JSON.parse(last) as T & { error?: { code: string; message: string } };
  if (value.error) throw new Error(`${args.join(' ')}: ${value.error.code}: ${value.error.message}`);
  return value;
}
