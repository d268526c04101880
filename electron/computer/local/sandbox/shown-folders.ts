import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, relative } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { mountedNames } from './folder-names';
import { hiddenPrograms, keyNames, openKeyPlaces, programTops, sharedTops, systemTops } from './key-places';
import { lookThrough, workspaceAbove } from './look-through';
import { liesBelow, namesOf, overlap } from './mount-points';

/** What no sandbox shows, whoever names it. */
export interface PrivatePlaces {
  /** The application's own data: settings, keys, logs. */
  data: string;
  /** The workspace: its log, and the folders of all runs. */
  workspace: string;
  /** The person's; default: what the environment says and what the account says. */
  home?: string;
}

/**
 * The one rule for what a sandbox may show of this machine beside its own, be it for sessions or an evaluation, whoever names it:
 * a person, a task that links to it, a task whose evaluator reads it. In a home only what is not hidden (and some programs); of the system's
 * folders only programs; no name with keys at any depth; no workspace of Waymark, nor a part of one. Asked of every name that the
 * machine has for the folder: as it is named, without links, and wherever else it or something below it is mounted.
 * @throws WaymarkError refused, with why; bad_input where there is nothing of that name
 */
export function refusePrivate(path: string, places: PrivatePlaces, write = false): void {
  if (!isAbsolute(path) || statSync(path, { throwIfNoEntry: false }) === undefined) {
    throw new WaymarkError(
      'bad_input',
      `${path} cannot be shown to the run: there is no such file or folder here.`,
    );
  }
  refuseNames(path, places, write);
  refuseFor(path, lookThrough(path).why);
}

/** The same without a look at what it holds, for each start of a session. @throws WaymarkError refused, with why */
export function refuseNames(path: string, places: PrivatePlaces, write: boolean): void {
  refuseFor(path, whyPrivate(path, places, write));
}

function refuseFor(path: string, why: string | undefined): void {
  if (why === undefined) return;
  throw new WaymarkError(
    'refused',
    `${path} cannot be shown to the run: ${why}. Name something that holds only what the run needs.`,
  );
}

/** Why a path is not shown, to continue a sentence, without a look at what it holds; undefined when it may be. */
export function whyPrivate(path: string, places: PrivatePlaces, write = false): string | undefined {
  const names = namesOf(path);
  const homes = places.home === undefined ? homesHere() : namesOf(places.home);
  const mounted = names.map(mountedNames);
  const kernel = mounted.find((each) => each.kernel !== undefined)?.kernel;
  const all = [...new Set(mounted.flatMap((each) => each.names))];
  const said = all.map((name) => ({ name, why: reasonFor(name, { ...places, homes }) }));
  const found = said.find(({ why }) => why !== undefined);
  if (found?.why !== undefined)
    return names.includes(found.name) && found.name !== path
      ? `it leads to ${found.name}, and ${found.why}`
      : found.name === path
        ? found.why
        : `it is also mounted as ${found.name}, and ${found.why}`;
  if (kernel !== undefined) return `${kernel} belongs to the system`;
  return names.map((name) => systemReason(name, homes, write)).find((why) => why !== undefined);
}

/** Where people on this machine are at home, this one by every name. */
function homesHere(): string[] {
  const own = [homedir(), userInfo().homedir].flatMap(namesOf);
  const others = existsSync('/etc/passwd')
    ? readFileSync('/etc/passwd', 'utf8')
        .split('\n')
        .flatMap((line) => {
          const [, , number = '', , , home = ''] = line.split(':');
          return Number(number) >= 1000 && home.startsWith('/') ? [home] : [];
        })
    : [];
  return [...new Set([...own, ...others])];
}

interface Known extends PrivatePlaces {
  homes: readonly string[];
}

function reasonFor(path: string, { data, workspace, homes }: Known): string | undefined {
  if (path === '/') return 'it is the whole machine';
  const home = homes.find((each) => each === path || liesBelow(each, path));
  // An account without a home of its own has `/`, or a folder that is not there.
  if (home !== undefined && existsSync(home)) return `it holds the home ${home}`;
  const key = path.split('/').find((name) => keyNames.has(name));
  if (key !== undefined) return `${key} holds keys or personal data`;
  const hidden = homes.map((each) => hiddenIn(each, path)).find((each) => each !== undefined);
  if (hidden !== undefined) return `${hidden} is hidden, and programs keep keys and settings in such places`;
  if (namesOf(data).some((each) => overlap(path, each))) return `${data} holds Waymark's own data`;
  if (namesOf(workspace).some((each) => overlap(path, each)))
    return `${workspace} is the workspace, with its log and other runs`;
  const other = workspaceAbove(path);
  return other === undefined ? undefined : `${other} is a workspace of Waymark, with its log and its runs`;
}

/** What of the path is hidden in that home, or private in an open place. */
function hiddenIn(home: string, path: string): string | undefined {
  if (home === '/' || !liesBelow(path, home)) return undefined;
  const inside = relative(home, path);
  if (openKeyPlaces.some((each) => inside === each || inside.startsWith(`${each}/`))) return path;
  if (!inside.startsWith('.')) return undefined;
  const isProgram = hiddenPrograms.some((each) =>
    each.endsWith('*') ? liesBelow(inside, each.slice(0, -2)) : inside === each || liesBelow(inside, each),
  );
  return isProgram ? undefined : path;
}

/** Of what is in nobody's home. */
function systemReason(path: string, homes: readonly string[], write: boolean): string | undefined {
  if (homes.some((each) => each !== '/' && liesBelow(path, each))) return undefined;
  const [, top = '', second] = path.split('/');
  if (programTops.has(top)) return write ? `/${top} holds programs, which no run may change` : undefined;
  const temporary = ['/tmp', '/var/tmp'].find((each) => path === each || liesBelow(path, each));
  if (temporary !== undefined) return temporaryReason(path, temporary);
  if (systemTops.has(top)) return `/${top} belongs to the system`;
  return sharedTops.has(top) && second === undefined ? `/${top} is shared by all users` : undefined;
}

/** All people keep what is temporary in one place: only what is this person's own may be shown, and no socket's folder. */
function temporaryReason(path: string, temporary: string): string | undefined {
  if (path === temporary) return `${temporary} is shared by all users`;
  const [first = ''] = relative(temporary, path).split('/');
  if (/^\.|^ssh-/.test(first)) return `${temporary}/${first} belongs to programs`;
  return statSync(path).uid === userInfo().uid ? undefined : `${path} is not yours`;
}
