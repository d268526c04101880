import { changedBy, longestPath, mostPaths, seenBy } from './shell-effects';
import {
  lexShell,
  maxShellDepth,
  type ShellRedirect,
  type ShellWord,
  type SimpleCommand,
  substitutionsIn,
} from './shell-lexer';

/** Longer texts are not read at all, UTF-16 units: no shell takes a command line of that length. */
export const longestShellText = 1_000_000;

const openers = new Set(['if', 'then', 'elif', 'else', 'while', 'until', 'do', '{', '!', 'time', 'coproc']);
const closers = new Set(['fi', 'done', '}', 'esac']);
const shells = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh']);

/** The last part of a command's path: `/usr/bin/rm` is `rm`. */
export function commandName(command: SimpleCommand): string {
  const first = command.argv[0];
  return first ? first.slice(first.lastIndexOf('/') + 1) : '';
}

/** No empty part, and none that begins with a dot. */
const plainPath = /^[^./~][^/]*(?:\/[^./][^/]*)*$/;

/** `path` as seen from `directory`; both as in `SimpleCommand`. Dots and double slashes are resolved by text. */
export function joinShellPath(directory: string | null, path: string): string {
  if (!directory && plainPath.test(path)) return path;
  const whole = path.startsWith('/') || path.startsWith('~') || !directory ? path : `${directory}/${path}`;
  const parts: string[] = [];
  for (const part of whole.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '..' || !whole.startsWith('/')) parts.push(part);
  }
  return (whole.startsWith('/') ? '/' : '') + parts.join('/') || (whole.startsWith('/') ? '/' : '.');
}

/** As `joinShellPath` for a directory that came from it, without reading that directory again. */
function below(directory: string | null, path: string): string {
  if (!directory || directory === '.' || directory === '/') return joinShellPath(directory, path);
  if (plainPath.test(path)) return `${directory}/${path}`;
  const parent = directory.lastIndexOf('/');
  if (path === '..' && parent > 0 && directory.slice(parent) !== '/..') return directory.slice(0, parent);
  return joinShellPath(directory, path);
}

const emptyCommand = (directory: string | null): SimpleCommand => ({
  argv: [],
  assignments: [],
  redirects: [],
  heredocs: [],
  nested: [],
  fromPipe: false,
  intoPipe: false,
  background: false,
  directory,
});

/** Reads one text; `parseShell` is its public face. */
class Parser {
  readonly commands: SimpleCommand[] = [];
  private current: SimpleCommand;
  private readonly scopes: (string | null)[] = [];
  /** What the words before the next `)` or `in` are: a `case` pattern, or a `for`/`case` head. */
  private reading: 'command' | 'head' | 'pattern' = 'command';
  private cases = 0;
  private redirect: ShellRedirect | null = null;

  constructor(
    private readonly depth: number,
    private directory: string | null,
  ) {
    this.current = emptyCommand(directory);
  }

  parse(text: string): SimpleCommand[] {
    for (const token of lexShell(text, this.depth)) {
      if (token.kind === 'word') this.word(token);
      else if (token.kind === 'redirect') {
        this.redirect = { fd: token.fd, operator: token.operator, target: null };
        this.current.redirects.push(this.redirect);
      } else if (token.kind === 'heredoc') this.current.heredocs.push(token.heredoc);
      else this.operator(token.value);
    }
    this.end();
    return this.commands;
  }

  private word(word: ShellWord): void {
    for (const text of word.substitutions) append(this.current.nested, this.inner(text));
    if (this.redirect) {
      this.redirect.target = word.value;
      this.redirect = null;
      return;
    }
    if (this.reading === 'head') {
      if (word.raw === 'in' && this.cases > 0 && this.inCaseHead) {
        this.reading = 'pattern';
        this.inCaseHead = false;
      } else if (word.raw === 'do') this.reading = 'command';
      return;
    }
    if (this.reading === 'pattern') {
      if (word.raw === 'esac') {
        this.cases = Math.max(0, this.cases - 1);
        this.reading = 'command';
      }
      return;
    }
    const first = this.current.argv.length === 0 && this.current.assignments.length === 0;
    if (first && !word.quoted) {
      if (openers.has(word.raw)) return;
      if (closers.has(word.raw)) {
        if (word.raw === 'esac') this.cases = Math.max(0, this.cases - 1);
        return;
      }
      if (word.raw === 'for' || word.raw === 'select' || word.raw === 'case') {
        this.inCaseHead = word.raw === 'case';
        if (this.inCaseHead) this.cases += 1;
        this.reading = 'head';
        return;
      }
      if (word.raw === 'function') {
        this.functionName = true;
        return;
      }
    }
    if (this.functionName) {
      this.functionName = false;
      return;
    }
    if (this.current.argv.length === 0 && /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/.test(word.raw)) {
      this.current.assignments.push(word.raw);
    } else this.current.argv.push(word.value);
  }

  private inCaseHead = false;
  private functionName = false;

  private operator(operator: string): void {
    this.redirect = null;
    if (this.reading === 'pattern') {
      if (operator === ')') this.reading = 'command';
      return;
    }
    if (this.reading === 'head') {
      if (!this.inCaseHead && (operator === ';' || operator === '\n')) this.reading = 'command';
      return;
    }
    if (operator === '(') {
      if (this.current.argv.length === 1) {
        // `name ()` names a function; its body is read like any other group.
        this.current = emptyCommand(this.directory);
        return;
      }
      this.end();
      this.scopes.push(this.directory);
      return;
    }
    const piped = operator === '|' || operator === '|&';
    this.current.intoPipe = piped;
    this.current.background = operator === '&';
    this.end();
    if (operator === ')') {
      const outer = this.scopes.pop();
      if (outer !== undefined) this.directory = outer;
      this.current.directory = this.directory;
    }
    this.current.fromPipe = piped;
    if (operator.startsWith(';;') || operator === ';&') this.reading = this.cases > 0 ? 'pattern' : 'command';
  }

  private end(): void {
    const command = this.current;
    this.current = emptyCommand(this.directory);
    if (
      command.argv.length + command.redirects.length + command.heredocs.length + command.nested.length ===
      0
    ) {
      return;
    }
    for (const heredoc of command.heredocs) {
      if (heredoc.literal) continue;
      for (const text of substitutionsIn(heredoc.text, this.depth)) append(command.nested, this.inner(text));
    }
    append(command.nested, this.started(command));
    this.commands.push(command);
    const name = commandName(command);
    if ((name === 'cd' || name === 'pushd') && !command.fromPipe && !command.intoPipe) {
      const target = command.argv.slice(1).find((word) => word === null || !/^-[LPe@]*$/.test(word));
      if (target === undefined || target === null || target === '-' || target.startsWith('~')) {
        this.directory = null;
      } else if (target.startsWith('/')) this.directory = joinShellPath('', target);
      else this.directory = this.directory === null ? null : below(this.directory, target);
      if (this.directory !== null && this.directory.length > longestPath) this.directory = null;
    } else if (name === 'popd') this.directory = null;
    this.current.directory = this.directory;
  }

  private inner(text: string): SimpleCommand[] {
    return this.depth >= maxShellDepth ? [] : new Parser(this.depth + 1, this.directory).parse(text);
  }

  /** The commands that a wrapper such as `sudo`, `bash -c` or `xargs` starts. */
  private started(command: SimpleCommand): SimpleCommand[] {
    const name = commandName(command);
    const words = command.argv;
    if (shells.has(name)) {
      const flag = words.findIndex((word, i) => i > 0 && word !== null && /^-[a-z]*c[a-z]*$/.test(word));
      const script = flag > 0 ? words[flag + 1] : undefined;
      if (typeof script === 'string') return this.inner(script);
      return flag < 0 && words.length === 1 ? command.heredocs.flatMap((h) => this.inner(h.text)) : [];
    }
    if (name === 'eval') {
      const known = words.slice(1).filter((word): word is string => word !== null);
      return this.inner(known.join(' '));
    }
    if (name === 'find') return this.startedByFind(command);
    const start = wrappedAt(name, words);
    return start === null || start >= words.length ? [] : [this.wrapped(command, words.slice(start))];
  }

  /** What stands between `-exec` and its end is the command's, so no word is looked at twice. */
  private startedByFind(command: SimpleCommand): SimpleCommand[] {
    const words = command.argv;
    const started: SimpleCommand[] = [];
    for (let i = 1; i < words.length; i += 1) {
      const word = words[i] ?? null;
      if (word === '-delete') started.push(this.wrapped(command, ['rm', words[1] ?? null]));
      if (word === null || !/^-(?:exec|execdir|ok|okdir)$/.test(word)) continue;
      const argv: (string | null)[] = [];
      for (i += 1; i < words.length && words[i] !== ';' && words[i] !== '+'; i += 1) {
        argv.push(words[i] === '{}' ? null : (words[i] ?? null));
      }
      started.push(this.wrapped(command, argv));
    }
    return started;
  }

  private wrapped(outer: SimpleCommand, argv: (string | null)[]): SimpleCommand {
    const inner = { ...emptyCommand(this.directory), argv, heredocs: outer.heredocs };
    inner.fromPipe = outer.fromPipe;
    inner.intoPipe = outer.intoPipe || outer.redirects.some(writesStdout);
    inner.background = outer.background;
    if (this.depth < maxShellDepth) inner.nested = new Parser(this.depth + 1, this.directory).started(inner);
    return inner;
  }
}

/** As `push` with all of them, which a long list would not survive. */
function append<T>(to: T[], more: readonly T[]): void {
  for (const each of more) to.push(each);
}

const writesStdout = (redirect: ShellRedirect) =>
  redirect.operator.includes('>') && (redirect.fd === null || redirect.fd === 1);

/** Options of each wrapper that take a value as their next word, and how many plain words come before the command. */
const wrappers: Record<string, { values: string; plain: number }> = {
  sudo: { values: '-u -g -p -C -h -r -t -U -D -T', plain: 0 },
  doas: { values: '-u -C', plain: 0 },
  env: { values: '-u -C -S --unset --chdir', plain: 0 },
  nice: { values: '-n', plain: 0 },
  ionice: { values: '-c -n -p', plain: 0 },
  chrt: { values: '', plain: 1 },
  taskset: { values: '', plain: 1 },
  stdbuf: { values: '-i -o -e', plain: 0 },
  timeout: { values: '-s -k --signal --kill-after', plain: 1 },
  flock: { values: '-w -E', plain: 1 },
  xargs: { values: '-I -i -n -P -L -d -E -s -a --arg-file --max-args --max-procs --delimiter', plain: 0 },
  time: { values: '-o -f', plain: 0 },
  watch: { values: '-n', plain: 0 },
  command: { values: '', plain: 0 },
  builtin: { values: '', plain: 0 },
  exec: { values: '-a', plain: 0 },
  nohup: { values: '', plain: 0 },
  setsid: { values: '', plain: 0 },
  busybox: { values: '', plain: 0 },
  strace: { values: '-o -e -p -s', plain: 0 },
};

function wrappedAt(name: string, words: (string | null)[]): number | null {
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
  if (!wrapper) return null;
  if (name === 'command' && /^-[vV]$/.test(words[1] ?? '')) return null;
  const values = new Set(wrapper.values.split(' '));
  let plain = wrapper.plain;
  for (let i = 1; i < words.length; i += 1) {
    const word = words[i];
    if (word === '--') return i + 1 + plain;
    if (typeof word === 'string' && word.startsWith('-') && word !== '-') {
      if (values.has(word)) i += 1;
    } else if (name === 'env' && typeof word === 'string' && /^\w+=/.test(word)) continue;
    else if (plain > 0) plain -= 1;
    else return i;
  }
  return null;
}

/**
 * The simple commands of a shell command line in order, those of groups, loops and subshells included; what they
 * start in turn is in `nested`. Never throws; what cannot be read statically is left out or null. The time it takes
 * grows with the length of the text and no faster, whatever the text, and so does what it hands back.
 */
export function parseShell(command: string): SimpleCommand[] {
  if (last.command !== command) {
    const read = command.length <= longestShellText;
    last = { command, simples: read ? new Parser(0, '').parse(command) : [] };
  }
  return last.simples;
}

/** Rules and guards ask about one command one after another; nobody changes what they get. */
let last: { command: string; simples: SimpleCommand[] } = { command: '', simples: [] };

/** `commands` and everything nested in them, outer before inner. */
export function everyCommand(commands: SimpleCommand[]): SimpleCommand[] {
  const all: SimpleCommand[] = [];
  const collect = (some: readonly SimpleCommand[]) => {
    for (const command of some) {
      all.push(command);
      collect(command.nested);
    }
  };
  collect(commands);
  return all;
}

function distinct(command: string, of: (simple: SimpleCommand) => string[]): string[] {
  const found = new Set<string>();
  let left = mostPaths;
  for (const simple of everyCommand(parseShell(command))) {
    for (const path of of(simple)) {
      if (left === 0) return [...found];
      left -= 1;
      found.add(below(simple.directory, path));
    }
  }
  return [...found];
}

/**
 * Paths whose content a command shows (cat, head, sed -n, grep, git diff…), without repetition. Relative ones are
 * relative to where the shell stands, or to an unknown directory after a `cd` that cannot be read.
 */
export function looksAt(command: string): string[] {
  return distinct(command, seenBy);
}

/** Paths whose content a command changes (sed -i, tee, `>`, mv, cp, git checkout, patch, rm…), as `looksAt`. */
export function changes(command: string): string[] {
  return distinct(command, changedBy);
}
