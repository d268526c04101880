import { commandName, joinShellPath, parseShell } from '@shared/shell/shell-command';
import { changedBy, seenBy } from '@shared/shell/shell-effects';
import type { SimpleCommand } from '@shared/shell/shell-lexer';

/** One thing a shell command does to a file, in the order in which it happens. */
export interface ShellTouch {
  /**
   * `write`: text that stands in the command itself becomes the file's content or its end; `edit`: content that is
   * there is changed; `output`: what a program prints or makes.
   */
  kind: 'look' | 'write' | 'edit' | 'output' | 'remove';
  /** Absolute, or relative to where the shell stands, or to an unknown folder when `placed` is false. */
  path: string;
  placed: boolean;
  /** The command works on a file that is there already. */
  inPlace: boolean;
  /** What was in the file stays in front of what is written. */
  appends: boolean;
  /** The one file that it becomes a copy of, as `path`; absent: none, or several. */
  copyOf?: string;
}

const inPlaceEditors = new Set(
  'sed perl awk gawk ed ex vi vim nano black isort ruff patch apply_patch git truncate'.split(' '),
);
const removers = new Set('rm rmdir unlink shred'.split(' '));
/** They make files of other files or of what they fetch. */
const programs = new Set('curl wget sort dd cp install ln rsync'.split(' '));
/** They show a file and wait for keys: what they changed is known by the file's hash alone. */
const editors = new Set('vi vim nvim view nano pico emacs joe micro'.split(' '));
/** An editor that was told what to do: it waits for nobody. */
const scripted = /^(?:-c|\+\S.*|-[eEs]+|--batch|--eval)$/;

/** What comes out of the commands before a pipe. */
interface Stream {
  /** It is text that stands in the command. */
  literal: boolean;
  /** Files that it was made of. */
  from: Set<string>;
}

/** What a command looks at and changes, read without running it. */
export function shellTouches(command: string): ShellTouch[] {
  const touches: ShellTouch[] = [];
  collect(parseShell(command), { literal: false, from: new Set() }, touches);
  return touches;
}

function collect(commands: readonly SimpleCommand[], into: Stream, touches: ShellTouch[]): void {
  let stream = into;
  for (const [i, simple] of commands.entries()) {
    if (i > 0 && !simple.fromPipe) stream = { literal: false, from: new Set() };
    for (const touch of touchesOf(simple, stream)) touches.push(touch);
    collect(simple.nested, stream, touches);
    if (!simple.intoPipe) continue;
    stream.literal = isLiteral(simple, stream);
    for (const path of seenBy(simple)) stream.from.add(joinShellPath(simple.directory, path));
  }
}

function touchesOf(simple: SimpleCommand, stream: Stream): ShellTouch[] {
  const place = (path: string) => ({
    path: joinShellPath(simple.directory, path),
    placed: simple.directory !== null || path.startsWith('/'),
  });
  const name = commandName(simple);
  const look = (path: string) => ({ kind: 'look' as const, ...place(path), inPlace: false, appends: false });
  if (editors.has(name) && !simple.argv.some((word) => scripted.test(word ?? ''))) {
    return changedBy(simple).map(look);
  }
  const looks = seenBy(simple);
  if (looks.length === 0 && showsWorkTree(simple, name)) looks.push('.');
  const redirected = new Map(simple.redirects.map(({ target, operator }) => [target, operator]));
  const reads = new Set(readBy(simple));
  const changed = name === 'touch' ? [] : changedBy(simple);
  return [
    ...looks.map(look),
    ...changed.map((path): ShellTouch => {
      const operator = redirected.get(path);
      const printed = operator !== undefined || name === 'tee';
      const appends = operator?.startsWith('>>') || (name === 'tee' && simple.argv.some(isAppend));
      const kind = ((): ShellTouch['kind'] => {
        if (!printed) {
          if (programs.has(name)) return 'output';
          return removers.has(name) || isMovedAway(simple, name, path) ? 'remove' : 'edit';
        }
        if (isLiteral(simple, stream)) return 'write';
        return reads.has(path) || stream.from.has(place(path).path) ? 'edit' : 'output';
      })();
      const inPlace = kind === 'edit' && (printed || inPlaceEditors.has(name));
      const source = kind === 'output' ? copied(simple, name) : undefined;
      const copyOf = source === undefined ? {} : { copyOf: place(source).path };
      return { kind, ...place(path), inPlace, appends: appends === true, ...copyOf };
    }),
  ];
}

const isAppend = (word: string | null) => word === '-a' || word === '--append';

/** What the command prints stands in its own text: `echo`, `printf`, `cat <<E`, or `tee` behind one of them. */
function isLiteral(simple: SimpleCommand, stream: Stream): boolean {
  const name = commandName(simple);
  if (simple.heredocs.length > 0 || simple.redirects.some(({ operator }) => operator === '<<<'))
    return name === 'cat' || name === 'tee';
  if (name === 'tee') return simple.fromPipe && stream.literal;
  if (name === 'echo' || name === 'printf') return !simple.argv.includes(null);
  // `cat > f` takes what is typed next.
  return name === 'cat' && !simple.fromPipe && simple.argv.length === 1;
}

/** Files that a command reads, also where what it prints goes into another file. */
function readBy(simple: SimpleCommand): string[] {
  return simple.redirects.length === 0
    ? seenBy(simple)
    : seenBy({ ...simple, redirects: simple.redirects.filter(({ operator }) => operator === '<') });
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

/** `git diff` without paths shows every change in the work tree. */
function showsWorkTree(simple: SimpleCommand, name: string): boolean {
  const kept = simple.redirects.some(({ operator, fd }) => operator.includes('>') && fd !== 2);
  const quiet = simple.argv.some((word) =>
    /^--(?:stat|name-only|name-status|quiet|shortstat)$/.test(word ?? ''),
  );
  return name === 'git' && simple.argv.includes('diff') && !kept && !quiet;
}

/** `cp A B` makes B of A alone. */
function copied(simple: SimpleCommand, name: string): string | undefined {
  if (name !== 'cp') return undefined;
  const words = simple.argv.slice(1).filter((word) => word === null || !word.startsWith('-'));
  return words.length === 2 ? (words[0] ?? undefined) : undefined;
}
