import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { applicationUser, electronLaunch } from '../scripts/launch.mjs';

const entry = join(import.meta.dirname, '..', 'out', 'main', 'cli.js');

export interface CommandPlace {
  folder: string;
  workspace: string;
  /** More variables for the command line. */
  env?: Record<string, string>;
}

/** Runs the command line on a workspace, as the user that the application runs as. */
function run(place: CommandPlace, args: string[]): { stdout: Buffer; stderr: Buffer } {
  if (!existsSync(entry)) throw new Error('The command line is not built.');
  const user = applicationUser();
  return spawnSync(process.execPath, [entry, ...args, '--workspace', place.workspace], {
    maxBuffer: 64e6,
    env: {
      ...electronLaunch().env,
      WAYMARK_DATA: join(place.folder, 'cli-data'),
      HOME: place.folder,
      ...place.env,
    },
    ...(user === null ? {} : { uid: user.uid, gid: user.gid }),
  });
}

/** What the command line prints, byte by byte. */
export function commandOutput(place: CommandPlace, ...args: string[]): Buffer {
  return run(place, args).stdout;
}

/** Asks the command line about a workspace. */
export function commandLine<T>(place: CommandPlace, ...args: string[]): T {
  const { stdout, stderr } = run(place, [...args, '--json']);
  const last = stdout.toString('utf8').trim().split('\n').at(-1);
  if (!last) throw new Error(`The command line said nothing: ${stderr.toString('utf8')}`);
  const value = JSON.parse(last) as T & { error?: { code: string; message: string } };
  if (value.error) throw new Error(`${args.join(' ')}: ${value.error.code}: ${value.error.message}`);
  return value;
}
