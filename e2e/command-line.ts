import { execFile, spawnSync } from 'node:child_process';
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

/** The command line on a workspace, as the user that the application runs as. */
function command(place: CommandPlace, args: string[]) {
  if (!existsSync(entry)) throw new Error('The command line is not built.');
  const user = applicationUser();
  return {
    words: [entry, ...args, '--workspace', place.workspace],
    options: {
      maxBuffer: 64e6,
      env: {
        ...electronLaunch().env,
        WAYMARK_DATA: join(place.folder, 'cli-data'),
        HOME: place.folder,
        ...place.env,
      },
      ...(user === null ? {} : { uid: user.uid, gid: user.gid }),
    },
  };
}

function run(place: CommandPlace, args: string[]): { stdout: Buffer; stderr: Buffer } {
  const { words, options } = command(place, args);
  return spawnSync(process.execPath, words, options);
}

/** What the command line prints, byte by byte. */
export function commandOutput(place: CommandPlace, ...args: string[]): Buffer {
  return run(place, args).stdout;
}

/** Asks the command line about a workspace. */
export function commandLine<T>(place: CommandPlace, ...args: string[]): T {
  const { stdout, stderr } = run(place, [...args, '--json']);
  return answerOf<T>(args, stdout.toString('utf8'), stderr.toString('utf8'));
}

/** As `commandLine`, while this process goes on: what it serves can be asked. */
export function commandLineBeside<T>(place: CommandPlace, ...args: string[]): Promise<T> {
  const { words, options } = command(place, [...args, '--json']);
  return new Promise((resolve, reject) => {
    execFile(process.execPath, words, options, (_failed, stdout, stderr) => {
      try {
        resolve(answerOf<T>(args, stdout, stderr));
      } catch (thrown) {
        reject(thrown);
      }
    });
  });
}

function answerOf<T>(args: readonly string[], stdout: string, stderr: string): T {
  const last = stdout.trim().split('\n').at(-1);
  if (!last) throw new Error(`The command line said nothing: ${stderr}`);
  const value = JSON.parse(last) as T & { error?: { code: string; message: string } };
  if (value.error) throw new Error(`${args.join(' ')}: ${value.error.code}: ${value.error.message}`);
  return value;
}
