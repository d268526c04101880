import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { shellQuote } from '../base/shell-quote';
import { isPlainName } from '../files/inside';

export type CopyHelper = 'perl' | 'python3';
export const copyHelpers: readonly CopyHelper[] = ['perl', 'python3'];

/** The program that copies workspaces, for each helper a computer may have. */
export type CopySources = Readonly<Record<CopyHelper, string>>;

export async function readCopySources(resourcesDir: string): Promise<CopySources> {
  const [perl, python3] = await Promise.all(
    ['copy.pl', 'copy.py'].map((name) => readFile(join(resourcesDir, 'checkpoint', name), 'utf8')),
  );
  return { perl: perl ?? '', python3: python3 ?? '' };
}

export interface CopyOrder {
  op: 'size' | 'copy' | 'restore';
  /** The workspace; for `restore` the folder to make. */
  root: string;
  /** Folder of the run's checkpoints. Null: the run's own below the user's state directory, made of `run`. */
  base: string | null;
  run: string;
  /** The checkpoint to make, or to restore from. */
  id: string;
  /** The checkpoint whose unchanged files are shared; '' for none. */
  previous: string;
  /** Other checkpoints that are to stay. */
  keep: readonly string[];
  exclude: string;
  /** Where the files of a restored checkpoint lay. */
  origin: string;
}

const tests: Record<CopyHelper, string> = {
  perl: 'perl -MFcntl -MErrno -MFile::Path -e 1',
  python3: 'python3 -I -c "import sys,fcntl,shutil;sys.exit(sys.version_info<(3,6))"',
};
const runs: Record<CopyHelper, string> = { perl: 'perl -C0 -e', python3: 'python3 -I -c' };

/** More names than this are too long for one command; then only half checkpoints count as leavings. */
const mostNamed = 2_000;

/** One command for a POSIX shell. The program goes along as an argument: a full disk must not be in its way. */
export function copyCommand(order: CopyOrder, sources: CopySources, helpers = copyHelpers): string {
  const { op, root, base, run, id, previous, keep, exclude, origin } = order;
  const kept = keep.length > mostNamed ? '*' : keep.join(',');
  const words = [id, previous, kept, exclude, origin].map(shellQuote).join(' ');
  const tries = helpers.map(
    (helper) =>
      `if command -v ${helper} >/dev/null 2>&1 && ${tests[helper]} </dev/null >/dev/null 2>&1; then exec ${runs[helper]} ${shellQuote(sources[helper])} ${op} ${shellQuote(root)} "$b" ${words}; fi`,
  );
  return [
    `b=${baseWord({ base, run })}`,
    ...tries,
    'echo "neither perl nor python3 (3.6 or newer) can be run there. Install perl."; exit 1',
  ].join('\n');
}

/** Takes all checkpoints of a run away. */
export function removalCommand(order: Pick<CopyOrder, 'base' | 'run'>): string {
  return `rm -rf ${baseWord(order)}`;
}

/** The folder as one word of the shell; what is not absolute in the environment is no state directory. */
function baseWord({ base, run }: Pick<CopyOrder, 'base' | 'run'>): string {
  if (base !== null) return shellQuote(base);
  // On a host this is removed as a whole.
  if (!isPlainName(run))
    throw new WaymarkError(
      'workspace_corrupt',
      `${JSON.stringify(run)} is used as a run, but is not a valid name.`,
    );
  return `"$(case "$XDG_STATE_HOME" in /*) echo "$XDG_STATE_HOME";; *) echo "$HOME/.local/state";; esac)/waymark/checkpoints/"${shellQuote(run)}`;
}
