import {
  commandName,
  everyCommand,
  joinShellPath,
  parseShell,
  type SimpleCommand,
} from '@shared/shell-command';
import { changedBy, seenBy } from '@shared/shell-effects';

/** One thing a shell command does to a file, in the order in which it happens. */
export interface ShellTouch {
  /** `edit`: content the agent changes or writes; `output`: what a program writes by itself. */
  kind: 'look' | 'edit' | 'output' | 'remove';
  /** Absolute, or relative to where the shell stands, or to an unknown folder when `placed` is false. */
  path: string;
  placed: boolean;
  /** The command works on a file that is there already. */
  inPlace: boolean;
}

const inPlaceEditors = new Set(
  'sed perl awk gawk ed ex vi vim nano black isort ruff patch apply_patch git truncate'.split(' '),
);
const removers = new Set('rm rmdir unlink shred'.split(' '));
const programs = new Set('curl wget sort dd'.split(' '));
/** Commands whose redirected output is text that the agent writes itself. */
const writers = new Set(['', 'cat', 'echo', 'printf', 'tee']);

/** What a command looks at and changes, read without running it. */
export function shellTouches(command: string): ShellTouch[] {
  return everyCommand(parseShell(command)).flatMap((simple) => {
    const place = (path: string) => ({
      path: joinShellPath(simple.directory, path),
      placed: simple.directory !== null || path.startsWith('/'),
    });
    const name = commandName(simple);
    const looks = seenBy(simple);
    if (looks.length === 0 && showsWorkTree(simple, name)) looks.push('.');
    const outputs = programOutputs(simple, name);
    const kindOf = (path: string): ShellTouch['kind'] => {
      if (outputs.has(path) || programs.has(name)) return 'output';
      return removers.has(name) || isMovedAway(simple, name, path) ? 'remove' : 'edit';
    };
    return [
      ...looks.map((path) => ({ kind: 'look' as const, ...place(path), inPlace: false })),
      ...(name === 'touch' ? [] : changedBy(simple)).map((path) => {
        const kind = kindOf(path);
        return { kind, ...place(path), inPlace: kind === 'edit' && inPlaceEditors.has(name) };
      }),
    ];
  });
}

/** Sources of `mv` and what `git rm` and `git mv` take away: gone, not edited. */
function isMovedAway({ argv }: SimpleCommand, name: string, path: string): boolean {
  if (name === 'git' && argv.includes('rm')) return true;
  const moves = name === 'mv' || (name === 'git' && argv.includes('mv'));
  return moves && argv.includes(path) && argv.at(-1) !== path;
}

/** Where the shell stands after the command: '' = where it stood, null = cannot be known. */
export function directoryAfter(command: string): string | null {
  // Most commands cannot change it: no such word, and no quoting that could hide one.
  if (!/cd|pushd|popd|['"\\]/.test(command)) return '';
  const probe = parseShell(`${command}\n:`).at(-1);
  return probe?.argv[0] === ':' ? probe.directory : null;
}

function programOutputs(simple: SimpleCommand, name: string): Set<string> {
  if (writers.has(name) || simple.heredocs.length > 0) return new Set();
  return new Set(
    simple.redirects
      .filter(({ operator }) => operator.includes('>'))
      .flatMap(({ target }) => (target === null ? [] : [target])),
  );
}

/** `git diff` without paths shows every change in the work tree. */
function showsWorkTree(simple: SimpleCommand, name: string): boolean {
  const kept = simple.redirects.some(({ operator, fd }) => operator.includes('>') && fd !== 2);
  const quiet = simple.argv.some((word) =>
    /^--(?:stat|name-only|name-status|quiet|shortstat)$/.test(word ?? ''),
  );
  return name === 'git' && simple.argv.includes('diff') && !kept && !quiet;
}
