import { execFile, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** What keeps sessions on this machine apart from the rest of it; `none` with the reason. */
export type Isolation = { kind: 'bubblewrap'; program: string } | { kind: 'none'; why: string };

const usual = ['/usr/bin', '/bin', '/usr/local/bin'];

/** The path of a program that this process may run; undefined when it is not installed. */
function programPath(name: string): string | undefined {
  const folders = [
    ...usual,
    ...(process.env.PATH ?? '').split(delimiter).filter((each) => each.startsWith('/')),
  ];
  return folders
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        // Not there, or not for us: the next one.
        return false;
      }
    });
}

/** Where bubblewrap is on this machine, unless it lacks something that sandboxes need. */
export function bubblewrapPath(): string | undefined {
  return process.platform === 'linux' && programPath('setsid') !== undefined
    ? programPath('bwrap')
    : undefined;
}

/** Looks whether bubblewrap is installed and may make namespaces here. */
export async function findIsolation(): Promise<Isolation> {
  if (process.platform !== 'linux') {
    return { kind: 'none', why: 'Waymark knows no sandbox for local sessions on this system' };
  }
  const program = bubblewrapPath();
  if (program === undefined) return { kind: 'none', why: 'bubblewrap is not installed' };
  try {
    const tried = [
      '--unshare-user',
      '--unshare-pid',
      '--ro-bind',
      '/',
      '/',
      '--proc',
      '/proc',
      '--dev',
      '/dev',
    ];
    await promisify(execFile)(program, [...tried, '--', '/bin/sh', '-c', ':'], { timeout: 5_000 });
    return { kind: 'bubblewrap', program };
  } catch (error) {
    const { stderr = '', message } = error as { stderr?: string; message: string };
    return { kind: 'none', why: `bubblewrap cannot run here (${(stderr || message).trim().slice(0, 200)})` };
  }
}

const closing = new Map<string, readonly string[]>();

/** What keeps programs inside from making namespaces for users of their own; nothing where bubblewrap (before 0.8) or the kernel cannot. Tried once. */
export function closedNamespaces(program: string): readonly string[] {
  return works(program, ['--disable-userns']);
}

/** What gives programs inside a network of their own with nothing but a loopback; nothing where the system lets nobody make one. Tried once. */
export function closedNetwork(program: string): readonly string[] {
  return works(program, ['--unshare-net']);
}

function works(program: string, words: readonly string[]): readonly string[] {
  const asked = [program, ...words].join(' ');
  const known = closing.get(asked);
  if (known !== undefined) return known;
  const tried = ['--unshare-user', ...words, '--ro-bind', '/', '/', '--proc', '/proc'];
  const { status } = spawnSync(program, [...tried, '--', '/bin/sh', '-c', ':'], { timeout: 5_000 });
  const found = status === 0 ? words : [];
  closing.set(asked, found);
  return found;
}
