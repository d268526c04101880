import { readdir, readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import picomatch from 'picomatch';
import { matchesPatternList } from '../login/known-hosts';

/** Existing files an absolute path with `*`, `?` and `[…]` stands for, sorted, as glob(3) does for Include. */
async function globFiles(pattern: string): Promise<string[]> {
  let found = ['/'];
  for (const part of pattern.split('/').filter((name) => name !== '')) {
    const next: string[] = [];
    for (const folder of found) next.push(...(await below(folder, part)));
    found = next;
  }
  const files: string[] = [];
  for (const path of found) if (await isFile(path)) files.push(path);
  return files;
}

async function below(folder: string, part: string): Promise<string[]> {
  if (!/[*?[]/.test(part)) return [join(folder, part)];
  const matches = picomatch(part, { dot: part.startsWith('.'), nobrace: true, noextglob: true });
  const names = await readdir(folder).catch(() => []); // not a folder, or not ours to read: nothing is in it
  return names
    .filter((name) => matches(name))
    .sort()
    .map((name) => join(folder, name));
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (facts) => facts.isFile(),
    () => false,
  );
}

/** One line of an ssh configuration with the blocks around it, outermost first. */
export interface ConfigLine {
  file: string;
  /** 1 for the first. */
  line: number;
  /** Lower case. */
  keyword: string;
  args: string[];
  /** What must hold for the line to count. */
  blocks: ConfigBlock[];
}

interface ConfigBlock {
  kind: 'host' | 'match';
  args: string[];
}

interface ConfigSources {
  /** Read instead of the two usual files, as by `ssh -F`. */
  configFile?: string | undefined;
}

/** As OpenSSH: files that include each other end somewhere. */
const maxDepth = 16;
const systemFolder = '/etc/ssh';

/**
 * The lines of the user's ssh configuration in the order ssh reads them, Include followed. Best effort, for showing
 * where a setting comes from: what cannot be read is left out, and `ssh -G` alone decides what holds.
 */
export async function readConfig(sources: ConfigSources): Promise<ConfigLine[]> {
  const home = userInfo().homedir;
  const files =
    sources.configFile === undefined
      ? [
          { file: join(home, '.ssh', 'config'), folder: join(home, '.ssh') },
          { file: join(systemFolder, 'ssh_config'), folder: systemFolder },
        ]
      : [{ file: sources.configFile, folder: join(home, '.ssh') }];
  const lines: ConfigLine[] = [];
  for (const { file, folder } of files) await readInto(lines, file, { folder, home, outer: [], depth: 0 });
  return lines;
}

/** Aliases that Host lines name literally, without patterns, each once, in the order of the files. */
export async function listAliases(sources: ConfigSources = {}): Promise<string[]> {
  const aliases = new Set<string>();
  for (const { keyword, args } of await readConfig(sources)) {
    if (keyword !== 'host') continue;
    for (const arg of args) if (/^[^-!*?\s][^*?\s]*$/.test(arg)) aliases.add(arg);
  }
  return [...aliases];
}

interface Place {
  /** Relative Includes start here. */
  folder: string;
  home: string;
  outer: ConfigBlock[];
  depth: number;
}

async function readInto(lines: ConfigLine[], file: string, place: Place): Promise<void> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    return; // ssh passes over files it cannot read as well
  }
  let block: ConfigBlock | undefined;
  for (const [index, source] of text.split('\n').entries()) {
    const [word, ...args] = splitWords(source);
    if (word === undefined) continue;
    const keyword = word.toLowerCase();
    if (keyword === 'host' || keyword === 'match') block = { kind: keyword, args };
    const blocks = block === undefined ? place.outer : [...place.outer, block];
    lines.push({ file, line: index + 1, keyword, args, blocks });
    if (keyword !== 'include' || place.depth >= maxDepth) continue;
    for (const pattern of args) {
      for (const included of await globFiles(absolute(pattern, place))) {
        await readInto(lines, included, { ...place, outer: blocks, depth: place.depth + 1 });
      }
    }
  }
}

function absolute(path: string, { folder, home }: Place): string {
  if (path.startsWith('~/')) return join(home, path.slice(2));
  return isAbsolute(path) ? path : join(folder, path);
}

/**
 * The words of a line as OpenSSH splits them: quotes, backslashes, a `=` after the keyword, a comment at the end.
 * Empty for a comment or an empty line.
 */
function splitWords(source: string): string[] {
  const line = source.trim();
  if (line === '' || line.startsWith('#')) return [];
  const [, keyword = '', rest = ''] = /^("[^"]*"|[^\s=]+)\s*=?\s*(.*)$/s.exec(line) ?? [];
  const words = [keyword.replaceAll('"', '')];
  const pattern = /#.*|(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\\.|[^\s"'\\])+/gs;
  for (const [word] of rest.matchAll(pattern)) {
    if (word.startsWith('#')) break;
    words.push(unquote(word));
  }
  return words;
}

function unquote(word: string): string {
  return word.replace(
    /"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|\\(["'\\ ])/gs,
    (_whole, double?: string, single?: string, escaped?: string) =>
      escaped ?? (double ?? single ?? '').replace(/\\(["'\\])/g, '$1'),
  );
}

/** What the conditions of blocks are compared with. */
export interface Facts {
  /** As the person wrote it. */
  alias: string;
  hostName: string;
  user: string;
}

type Verdict = 'yes' | 'no' | 'unknown';

/**
 * `file:line` of the line a resolved value comes from, null when that cannot be told: a default, a condition that only
 * ssh can judge, or a value we read otherwise than ssh does.
 *
 * @param agrees whether the line's arguments give the resolved value
 * @param several settings whose lines add up (IdentityFile) instead of the first one winning
 */
export function originOf(
  lines: readonly ConfigLine[],
  keyword: string,
  facts: Facts,
  agrees: (args: readonly string[]) => boolean,
  several = false,
): string | null {
  let perhaps: string | null = null;
  for (const line of lines) {
    if (line.keyword !== keyword) continue;
    const verdict = verdictOf(line.blocks, facts);
    if (verdict === 'no') continue;
    const fits = agrees(line.args);
    const here = `${line.file}:${line.line}`;
    if (verdict === 'yes') {
      if (fits) return perhaps === null ? here : null; // either of two places: not sure
      if (!several) return null;
    } else if (fits) {
      if (perhaps !== null) return null;
      perhaps = here;
    }
  }
  return perhaps;
}

function verdictOf(blocks: readonly ConfigBlock[], facts: Facts): Verdict {
  let verdict: Verdict = 'yes';
  for (const block of blocks) {
    const one =
      block.kind === 'host'
        ? matchesPatternList(facts.alias, block.args)
          ? 'yes'
          : 'no'
        : matchVerdict(block.args, facts);
    if (one === 'no') return 'no';
    if (one === 'unknown') verdict = 'unknown';
  }
  return verdict;
}

function matchVerdict(args: readonly string[], facts: Facts): Verdict {
  let verdict: Verdict = 'yes';
  for (let at = 0; at < args.length; at += 1) {
    const word = (args[at] ?? '').toLowerCase();
    const negated = word.startsWith('!');
    const criterion = negated ? word.slice(1) : word;
    if (criterion === 'all') continue;
    const subject = subjects[criterion]?.(facts);
    if (subject === undefined) {
      verdict = 'unknown'; // exec, final, canonical, localnetwork, tagged, version …: only ssh knows
      if (!['final', 'canonical'].includes(criterion)) at += 1;
      continue;
    }
    at += 1;
    const patterns = (args[at] ?? '').split(',');
    if (matchesPatternList(subject, patterns) !== negated) continue;
    // Before a line has set the user, ssh compares with the local one.
    const early = criterion === 'user' && matchesPatternList(userInfo().username, patterns) !== negated;
    if (!early) return 'no';
    verdict = 'unknown';
  }
  return verdict;
}

const subjects: Record<string, (facts: Facts) => string> = {
  host: ({ hostName }) => hostName,
  originalhost: ({ alias }) => alias,
  user: ({ user }) => user,
  localuser: () => userInfo().username,
};
