import type { SimpleCommand } from './shell-lexer';

/** What well-known commands read and write. `changedBy` and `seenBy` serve blind-edit rules (APOLLO appendix E). */

/** The longest path there is on any computer of ours (PATH_MAX). Longer words name no file. */
export const longestPath = 4096;
/** More paths than this of one command line are not told. */
export const mostPaths = 10_000;

type Words = (string | null)[];

/** Lists of options as sets, by the list: each is written once in this file. */
const optionSets = new Map<string, ReadonlySet<string>>();

function optionSet(values: string): ReadonlySet<string> {
  let set = optionSets.get(values);
  if (set === undefined) {
    set = new Set(values.split(' '));
    optionSets.set(values, set);
  }
  return set;
}

/** Words that are not options. `values` are the options whose next word is their value. */
function operands(words: Words, values = ''): Words {
  const withValue = optionSet(values);
  const found: Words = [];
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] ?? null;
    if (word === '--') return [...found, ...words.slice(i + 1)];
    if (word !== null && word.length > 1 && word.startsWith('-')) {
      if (withValue.has(word)) i += 1;
    } else found.push(word);
  }
  return found;
}

const known = (words: Words): string[] =>
  words.filter((w): w is string => w !== null && w !== '' && w !== '-' && w.length <= longestPath);
const has = (words: Words, pattern: RegExp) => words.some((w) => w !== null && pattern.test(w));

/** The value of an option given as `-x VALUE` or `--long=VALUE`. */
function optionValue(words: Words, short: string, long: string): string | null {
  const i = words.findIndex((w) => w === short || w === long);
  if (i >= 0) return words[i + 1] ?? null;
  const joined = words.find((w) => w?.startsWith(`${long}=`));
  return joined ? joined.slice(long.length + 1) : null;
}

type Reader = (words: Words) => Words;
const all =
  (values = ''): Reader =>
  (words) =>
    operands(words, values);
/** The first operand is a pattern or program, unless an option gave it. */
const afterScript =
  (scriptOptions: RegExp, values: string): Reader =>
  (words) => {
    const files = operands(words, values);
    return has(words, scriptOptions) ? files : files.slice(1);
  };

const grepValues = '-e -f -m -A -B -C -d -D --include --exclude --exclude-dir -g -t -T --regexp --file';
const grep: Reader = (words) =>
  has(words, /^(?:-[a-zA-Z]*[qcLl][a-zA-Z]*|--quiet|--count|--files.*)$/)
    ? []
    : afterScript(/^(?:-[a-zA-Z]*[ef]|--regexp.*|--file.*)$/, grepValues)(words);

const readers: Record<string, Reader> = {
  cat: all(),
  tac: all(),
  nl: all('-b -n -w -s -v -i'),
  less: all('-p -P -j -x'),
  more: all('-n'),
  most: all(),
  bat: all('-r -l --line-range --language --theme --style'),
  batcat: all('-r -l --line-range --language --theme --style'),
  head: all('-n -c --lines --bytes'),
  tail: all('-n -c -s --lines --bytes --pid'),
  wc: all(),
  od: all('-A -t -N -j -w'),
  xxd: all('-l -s -c -g'),
  hexdump: all('-n -s -e'),
  strings: all('-n'),
  cut: all('-d -f -c -b'),
  sort: all('-k -t -o -T -S'),
  uniq: all('-f -s -w'),
  column: all('-t -s -o'),
  fold: all('-w'),
  paste: all('-d'),
  diff: all('-U -C -I -x'),
  cmp: all('-n'),
  comm: all(),
  colordiff: all('-U -C'),
  vimdiff: all(),
  grep,
  egrep: grep,
  fgrep: grep,
  zgrep: grep,
  rg: grep,
  ag: grep,
  sed: (words) =>
    has(words, /^(?:-[nErsuz]*i.*|--in-place.*)$/)
      ? []
      : afterScript(/^(?:-[nErsuz]*[ef]|--expression.*)$/, '-e -f -l')(words),
  awk: (words) => afterScript(/^(?:-f|--file.*)$/, '-F -v -f')(words).filter((w) => !w || !/^\w+=/.test(w)),
  gawk: (words) => afterScript(/^(?:-f|--file.*)$/, '-F -v -f')(words).filter((w) => !w || !/^\w+=/.test(w)),
  mawk: (words) => afterScript(/^(?:-f|--file.*)$/, '-F -v -f')(words).filter((w) => !w || !/^\w+=/.test(w)),
  jq: afterScript(/^(?:-[a-z]*f|--from-file)$/, '-f --from-file --indent --tab'),
  yq: afterScript(/^--from-file$/, '--from-file'),
  view: all(),
  pygmentize: all('-l -f'),
};

const gitValues = '-C -c --git-dir --work-tree --namespace';

/** The git subcommand, its words and the directory given with `-C`. */
function git(words: Words): { verb: string; rest: Words; within: (path: string) => string } {
  let i = 0;
  let directory = '';
  const values = optionSet(gitValues);
  while (i < words.length && words[i]?.startsWith('-')) {
    if (words[i] === '-C') directory = words[i + 1] ?? '';
    i += values.has(words[i] ?? '') ? 2 : 1;
  }
  if (directory.length > longestPath) directory = '';
  const within = (path: string) => (directory && !path.startsWith('/') ? `${directory}/${path}` : path);
  return { verb: words[i] ?? '', rest: words.slice(i + 1), within };
}

/** Path arguments of a git command: all after `--`, else the operands that look like files. */
function gitPaths(rest: Words): string[] {
  const marker = rest.indexOf('--');
  if (marker >= 0) return known(rest.slice(marker + 1));
  const plain = known(operands(rest, '-b -B -s --source -U -n --format -S -G -m -L --orphan'));
  return plain.flatMap((word) => {
    const colon = /^[^/:]*:(.+)$/.exec(word);
    if (colon?.[1]) return [colon[1]];
    return /[./]/.test(word) && !/^(?:HEAD|origin\/|refs\/)|\.\./.test(word) ? [word] : [];
  });
}

const writesOut = (operator: string) => operator.includes('>') && operator !== '>&';
const isDevice = (path: string) => path.startsWith('/dev/') || path.startsWith('/proc/');

/** Whether what the command prints ends in a file instead of on the screen. */
function outputKept(command: SimpleCommand): boolean {
  return command.redirects.some(
    (r) =>
      writesOut(r.operator) &&
      (r.fd === null || r.fd === 1) &&
      !/^\/dev\/(?:stdout|stderr|tty)$/.test(r.target ?? ''),
  );
}

function nameAndWords(command: SimpleCommand): { name: string; words: Words } {
  const first = command.argv[0];
  return { name: first ? first.slice(first.lastIndexOf('/') + 1) : '', words: command.argv.slice(1) };
}

/** Paths whose content this one command shows, as written. */
export function seenBy(command: SimpleCommand): string[] {
  if (outputKept(command)) return [];
  const { name, words } = nameAndWords(command);
  const inputs = command.redirects.filter((r) => r.operator === '<').map((r) => r.target);
  if (name === 'git') {
    const { verb, rest, within } = git(words);
    if (!/^(?:diff|show|blame|annotate|log|grep|cat-file)$/.test(verb)) return [];
    if (verb === 'log' && !has(rest, /^(?:-p|-u|--patch|-L.*)$/)) return [];
    return gitPaths(verb === 'grep' ? afterScript(/^-e$/, '-e')(rest) : rest).map(within);
  }
  const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
  return reader ? known([...reader(words), ...inputs]).filter((path) => !isDevice(path)) : [];
}

const base = (path: string) => path.replace(/\/+$/, '').split('/').pop() ?? path;

/** Targets of `cp`, `mv`, `install`, `ln`: into a folder the copy keeps its source's name. */
function copied(words: Words, values: string): string[] {
  const files = operands(words, values);
  const folder = optionValue(words, '-t', '--target-directory');
  const sources = folder === null ? files.slice(0, -1) : files;
  const target = folder ?? files.at(-1) ?? null;
  if (target === null || target.length > longestPath || sources.length === 0) return [];
  const inside = known(sources.slice(0, mostPaths)).map(
    (source) => `${target.replace(/\/+$/, '')}/${base(source)}`,
  );
  if (folder !== null || target.endsWith('/') || sources.length > 1 || target === '.') return inside;
  // A target without an extension may be a folder or a file; both are named, the one that does not exist is harmless.
  return base(target).includes('.') ? [target] : [target, ...inside];
}

/** Files named by the `+++` lines of a patch. */
function patched(text: string): string[] {
  const found = [...text.matchAll(/^(?:\+\+\+ (?:b\/)?|\*\*\* (?:Update|Add|Delete) File: )([^\t\n]+)/gm)];
  return found.map((match) => (match[1] ?? '').trim()).filter((path) => path !== '' && path !== '/dev/null');
}

const writers: Record<string, (words: Words) => string[]> = {
  tee: (words) => known(operands(words)),
  sed: (words) =>
    has(words, /^(?:-[nErsuz]*i.*|--in-place.*)$/)
      ? known(afterScript(/^(?:-[nErsuz]*[ef]|--expression.*)$/, '-e -f -l')(words))
      : [],
  perl: (words) => (has(words, /^-[a-zA-Z]*i/) ? known(afterScript(/^-[a-zA-Z0-9]*e$/, '-e')(words)) : []),
  awk: (words) =>
    optionValue(words, '-i', '--include') === 'inplace'
      ? known(afterScript(/^-f$/, '-F -v -f -i')(words))
      : [],
  rm: (words) => known(operands(words)),
  rmdir: (words) => known(operands(words)),
  unlink: (words) => known(operands(words)),
  shred: (words) => known(operands(words, '-n -s')),
  touch: (words) => known(operands(words, '-d -r -t')),
  truncate: (words) => known(operands(words, '-s -r')),
  mv: (words) => [
    ...known(
      operands(words, '-t -S').slice(
        0,
        optionValue(words, '-t', '--target-directory') === null ? -1 : undefined,
      ),
    ),
    ...copied(words, '-t -S'),
  ],
  cp: (words) => copied(words, '-t -S'),
  install: (words) => copied(words, '-t -m -o -g -S'),
  ln: (words) => copied(words, '-t -S'),
  rsync: (words) => copied(words, '-e --exclude --include --filter'),
  dd: (words) =>
    known(words)
      .filter((w) => w.startsWith('of='))
      .map((w) => w.slice(3)),
  sort: (words) => known([optionValue(words, '-o', '--output')]),
  curl: (words) => known([optionValue(words, '-o', '--output')]),
  wget: (words) => known([optionValue(words, '-O', '--output-document')]),
  ed: (words) => known(operands(words, '-p')),
  ex: (words) => known(operands(words, '-c -s')),
  vi: (words) => known(operands(words, '-c')),
  vim: (words) => known(operands(words, '-c')),
  nano: (words) => known(operands(words)),
  black: (words) => (has(words, /^--(?:check|diff)$/) ? [] : known(operands(words, '-l --line-length -t'))),
  isort: (words) => (has(words, /^--(?:check.*|diff)$/) ? [] : known(operands(words, '--profile'))),
  ruff: (words) => (words[0] === 'format' || has(words, /^--fix$/) ? known(operands(words.slice(1))) : []),
};

/** Paths whose content this one command changes, as written. */
export function changedBy(command: SimpleCommand): string[] {
  const { name, words } = nameAndWords(command);
  const outputs = command.redirects.filter(
    (r) => writesOut(r.operator) || (r.operator === '>&' && !/^[\d-]/.test(r.target ?? '-')),
  );
  const found = known(outputs.map((r) => r.target));
  if (name === 'git') {
    const { verb, rest, within } = git(words);
    if (/^(?:checkout|restore|rm|mv|clean)$/.test(verb)) found.push(...gitPaths(rest).map(within));
    if (verb === 'apply' || verb === 'am') {
      found.push(...command.heredocs.flatMap((h) => patched(h.text)).map(within));
    }
  } else if (name === 'patch' || name === 'apply_patch') {
    if (name === 'patch') found.push(...known(operands(words, '-i -d -o -p -F -r -B').slice(0, 1)));
    found.push(...command.heredocs.flatMap((h) => patched(h.text)));
  } else if (Object.hasOwn(writers, name)) found.push(...(writers[name]?.(words) ?? []));
  return found.filter((path) => !isDevice(path));
}
