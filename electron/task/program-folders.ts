import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { liesBelow } from '../computer/local/sandbox/mount-points';
import { isExecutable, searchFolders } from './run-process';

/** Evaluators call these without naming them: from scripts, by `#!/usr/bin/env`. */
const usual = ['python3', 'python', 'node'];
/** As many links as Linux follows. */
const mostLinks = 40;
/** What an installation keeps for its programs; beside it others may keep what is theirs, as below ~/.local. */
const parts = ['bin', 'sbin', 'lib', 'lib64', 'libexec', 'include'];

/**
 * What has to be shown of this machine for `programs` and the usual interpreters to run as they do without a sandbox: the
 * installation that each lies in (a conda, a virtual environment, `bin` and `lib` of another), by the names its links go through.
 * `home`: a person's home is never such an installation as a whole. Some of them may be shown by a sandbox anyway.
 */
export async function programFolders(programs: readonly string[], home: string): Promise<string[]> {
  const found = new Set<string>();
  for (const program of new Set([...programs, ...usual])) {
    for (const folder of searchFolders()) {
      const path = join(folder, program);
      if (!(await isExecutable(path))) continue;
      for (const hop of hopsOf(path)) for (const each of installation(hop, home)) found.add(each);
      break;
    }
  }
  return [...found].filter((path) => ![...found].some((other) => liesBelow(path, other)));
}

/** The program itself and everything that its links lead through. */
function hopsOf(path: string): string[] {
  const hops = [path, realpathSync(path)];
  let at = path;
  for (let count = 0; count < mostLinks && lstatSync(at).isSymbolicLink(); count += 1) {
    at = resolve(dirname(at), readlinkSync(at));
    hops.push(at);
  }
  return hops;
}

function installation(program: string, home: string): string[] {
  const folder = dirname(program);
  const holdsHome = (path: string) => path === home || liesBelow(home, path);
  if (holdsHome(folder)) return [program];
  const prefix = dirname(folder);
  const name = basename(folder);
  if (holdsHome(prefix) || !['bin', 'sbin', 'condabin', 'shims'].includes(name)) return [folder];
  const whole =
    name === 'shims' || ['conda-meta', 'pyvenv.cfg'].some((each) => existsSync(join(prefix, each)));
  return whole ? [prefix] : parts.map((part) => join(prefix, part)).filter((path) => existsSync(path));
}
