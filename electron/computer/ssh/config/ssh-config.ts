import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { globFiles } from './ssh-config-glob';

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

export interface ConfigBlock {
  kind: 'host' | 'match';
  args: string[];
}

export interface ConfigSources {
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
export function splitWords(source: string): string[] {
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
