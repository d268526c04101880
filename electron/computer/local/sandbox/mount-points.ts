import { realpathSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';

/** How many words follow an option of `bwrap` that mounts or makes something; the last one is the place inside. */
const operands: Readonly<Record<string, number>> = {
  '--bind': 2,
  '--ro-bind': 2,
  '--ro-bind-try': 2,
  '--dev-bind-try': 2,
  '--symlink': 2,
  '--proc': 1,
  '--dev': 1,
  '--tmpfs': 1,
  '--dir': 1,
};

interface Mount {
  option: string;
  source: string | undefined;
  place: string;
}

function mountsOf(args: readonly string[]): Mount[] {
  return args.flatMap((option, at) => {
    const count = operands[option];
    const place = count === undefined ? undefined : args[at + count];
    if (place === undefined) return [];
    return [{ option, source: count === 2 && option !== '--symlink' ? args[at + 1] : undefined, place }];
  });
}

/** Whether `path` lies in `folder`, and is not that folder. */
export function liesBelow(path: string, folder: string): boolean {
  const start = normalize(`${folder}/`);
  return normalize(`${path}/`).startsWith(start) && normalize(`${path}/`) !== start;
}

/** Whether one of them is the other or lies in it. */
export function overlap(one: string, other: string): boolean {
  return normalize(`${one}/`) === normalize(`${other}/`) || liesBelow(one, other) || liesBelow(other, one);
}

/** A path as it is given and as it is without links; a link on the way leads the same way inside where the sandbox shows it. */
export function namesOf(path: string): string[] {
  return [...new Set([normalize(path), withoutLinks(path)])];
}

/** What is not there yet would be made in the folder that is. */
function withoutLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['ENOENT', 'EACCES', 'ELOOP', 'ENOTDIR'].includes(code) || path === dirname(path)) throw error;
    return join(withoutLinks(dirname(path)), basename(path));
  }
}

/**
 * `bwrap` follows links on the way to a place that it mounts on, and to a folder that it shows, while it still sees the whole
 * machine: where an agent can put links it would choose what is shown. `also`: places where something is mounted later.
 * @throws WaymarkError unsupported, when a mount lies below a folder that can be written inside
 */
export function refuseMountsBelowWritable(args: readonly string[], also: readonly string[]): void {
  const mounts = mountsOf(args);
  const writable = mounts
    .filter(({ option }) => option === '--bind')
    .map(({ source = '', place }) => ({ place, source, folders: namesOf(source) }));
  const later = also.map((place): Mount => ({ option: '--ro-bind', source: undefined, place }));
  for (const { source, place } of [...mounts, ...later]) {
    // Only what stands at its own path can be reached through links of the machine.
    const places = source === place ? namesOf(place) : [place];
    const sources = source === undefined ? [] : namesOf(source);
    for (const open of writable) {
      const inside = places.some((path) => liesBelow(path, open.place));
      const shown = sources.some((path) => open.folders.some((folder) => liesBelow(path, folder)));
      if (!inside && !shown) continue;
      throw new WaymarkError(
        'unsupported',
        `The sandbox would show ${inside ? place : source}, which lies below ${inside ? open.place : open.source}, and the agent can write there. It could create links there and reach other folders. The workspace and the shown folders must not overlap where the agent can write.`,
      );
    }
  }
}

/** Where programs find their home: never at the person's own path, and in the way of nothing that is shown. */
export function homeBeside(shown: readonly string[], personHome: string): string {
  const taken = personHome === '/' ? shown : [...shown, personHome];
  const home = [
    '/home/agent',
    '/agent',
    ...[1, 2, 3, 4, 5, 6, 7, 8].map((number) => join('/', `agent-${number}`)),
  ].find((path) => !taken.some((each) => overlap(each, path)));
  if (home !== undefined) return home;
  throw new WaymarkError(
    'unsupported',
    `The folders that the sandbox would show (${shown.join(', ')}) leave no place for a home. Show fewer of them.`,
  );
}
