import { closeSync, fstatSync, openSync, readlinkSync } from 'node:fs';
import { WaymarkError } from '@shared/contract/errors';
import { shellQuote } from '../../../base/shell-quote';
import type { SharedFolder } from './sandbox-view';

/** Linux: names a file without reading it; Node has no word for it. */
const O_PATH = 0o10000000;

/** A shown folder as it is now. */
export interface OpenedFolder extends SharedFolder {
  /** Without links. */
  source: string;
  /** Which folder it is, as `stat -c %d:%i` says it. */
  identity: string;
}

/**
 * Looks once at what stands at that path, by a descriptor: its real path and its identity belong together, whatever happens to the
 * names meanwhile. `bwrap` looks at the names again when it mounts, so who uses the answer compares what was mounted (`shownCheck`).
 * @throws WaymarkError refused, when it is not there any more, or a link has come to stand on the way to what a person named
 */
export function openedFolder(folder: SharedFolder): OpenedFolder {
  const { path, write, source: named } = folder;
  const descriptor = opened(path, named ?? path);
  try {
    const source = readlinkSync(`/proc/self/fd/${descriptor}`);
    if (named !== undefined && source !== named) {
      throw new WaymarkError(
        'refused',
        `${path} can no longer be shown to the run: it now leads to ${source}, which nobody chose. Put the folder back, or start a new run.`,
      );
    }
    const { dev, ino } = fstatSync(descriptor, { bigint: true });
    return { path, write, source, identity: `${dev}:${ino}` };
  } finally {
    closeSync(descriptor);
  }
}

function opened(path: string, at: string): number {
  try {
    return openSync(at, O_PATH);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new WaymarkError(
      'refused',
      `${path} can no longer be shown to the run (${code}). Put the folder back, or start a new run.`,
    );
  }
}

/**
 * What starts inside first: it goes on with the program that follows only if each folder is the one that was looked at. Names that
 * were exchanged before `bwrap` mounted them are found here, before anything of the agent's can look.
 */
export function shownCheck(folders: readonly OpenedFolder[]): string[] {
  if (folders.length === 0) return [];
  const places = folders.map(({ path }) => shellQuote(path)).join(' ');
  const expected = shellQuote(folders.map(({ identity }) => identity).join('\n'));
  return [
    ...['/bin/sh', '-c'],
    `[ "$(PATH=/usr/bin:/bin:/usr/local/bin stat -L -c %d:%i -- ${places})" = ${expected} ] || { echo "A shown folder was exchanged while the sandbox started" >&2; exit 126; }; exec "$@"`,
    'sh',
  ];
}
