import type { LiteralCommand, LiteralWord } from './literal-command';
import { looksPrivate, mayExpand, mayRead, type PlaceRules } from './readable-paths';

/**
 * What runs without a question where approvals are on: programs that only look, with the options and operands listed
 * here. An option that is not listed is asked about, whatever it does. A row must not be able to write, to start another
 * program, to reach another machine, to show an environment, or to change what later words mean to the shell.
 */
interface HarmlessProgram {
  names: string;
  /** Letters that stand for themselves, alone or together: `-la`. */
  flags?: string;
  /** Letters that take a value, attached or as the next word. */
  values?: string;
  /** Long options; `=` at the end: with a value attached. */
  long?: string;
  /** `-20` stands for a number of lines. */
  digits?: boolean;
  /** What its other words are. */
  operands:
    | 'none'
    | 'paths'
    | 'names'
    | 'text'
    | 'pattern'
    | ((words: LiteralWord[], places: PlaceRules) => boolean);
  /** At most so many of them. */
  most?: number;
  /** None of its options does harm, so a pattern may stand where an option could. */
  anyOption?: boolean;
}

const table: readonly HarmlessProgram[] = [
  {
    names: 'ls',
    flags: 'aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxX1',
    values: 'I',
    long: 'all almost-all color color= full-time group-directories-first human-readable recursive reverse size sort= time=',
    operands: 'names',
    anyOption: true,
  },
  { names: 'cat', flags: 'AbeEnstTuv', long: 'number show-all', operands: 'paths', anyOption: true },
  {
    names: 'head',
    flags: 'qvz',
    values: 'nc',
    long: 'lines= bytes=',
    digits: true,
    operands: 'paths',
    anyOption: true,
  },
  {
    names: 'tail',
    flags: 'qvzfFr',
    values: 'ncs',
    long: 'lines= bytes= follow',
    digits: true,
    operands: 'paths',
    anyOption: true,
  },
  { names: 'wc', flags: 'clmwL', long: 'lines words bytes chars', operands: 'names', anyOption: true },
  { names: 'nl', values: 'bnwsvi', operands: 'paths' },
  { names: 'tac rev', operands: 'paths' },
  { names: 'cut', flags: 'sz', values: 'dfcb', long: 'complement delimiter= fields=', operands: 'paths' },
  // A second operand is written.
  {
    names: 'uniq',
    flags: 'cdDuiz',
    values: 'fsw',
    long: 'count repeated unique',
    operands: 'paths',
    most: 1,
  },
  {
    names: 'sort',
    flags: 'bdfghiMnrRVcCmsuz',
    values: 'kt',
    long: 'reverse numeric-sort unique',
    operands: 'paths',
  },
  { names: 'paste', flags: 'sz', values: 'd', operands: 'paths' },
  { names: 'column', flags: 't', values: 'sco', operands: 'paths' },
  { names: 'comm', flags: '123', operands: 'paths' },
  { names: 'fold', flags: 'bs', values: 'w', operands: 'paths' },
  { names: 'tr', flags: 'cCdst', operands: 'text' },
  { names: 'od', flags: 'abcdfilosxv', values: 'AtNjw', operands: 'paths' },
  { names: 'xxd', flags: 'bipu', values: 'lscg', operands: 'paths', most: 1 },
  { names: 'hexdump', flags: 'bcCdovx', values: 'ns', operands: 'paths' },
  { names: 'strings', flags: 'a', values: 'n', operands: 'paths' },
  { names: 'md5sum sha1sum sha256sum sha512sum cksum', flags: 'bt', operands: 'names' },
  { names: 'cmp', flags: 'bls', operands: 'paths' },
  {
    names: 'diff',
    flags: 'abBdeiEqrsuwyNpt',
    values: 'UW',
    operands: 'paths',
    long: 'brief color color= ignore-all-space recursive side-by-side unified=',
  },
  { names: 'stat', flags: 'Lft', values: 'c', long: 'format= printf=', operands: 'names', anyOption: true },
  { names: 'file', flags: 'biLh', long: 'brief mime mime-type', operands: 'names' },
  { names: 'readlink realpath', flags: 'efms', operands: 'names' },
  { names: 'basename dirname', flags: 'a', values: 's', operands: 'text' },
  {
    names: 'du',
    flags: 'abchHklLmsSx0',
    values: 'dt',
    operands: 'names',
    anyOption: true,
    long: 'all apparent-size human-readable max-depth= summarize total',
  },
  { names: 'df', flags: 'aBhHiklmPT', long: 'human-readable total', operands: 'text' },
  { names: 'free', flags: 'bkmghltvw', long: 'human total', operands: 'none' },
  { names: 'tree', flags: 'adfhpsugDFirstJ', values: 'LIP', long: 'dirsfirst noreport', operands: 'names' },
  { names: 'uptime', flags: 'ps', operands: 'none' },
  { names: 'nproc', long: 'all', operands: 'none' },
  { names: 'uname', flags: 'asnrvmpio', operands: 'none' },
  { names: 'whoami groups arch tty lscpu true false : clear', operands: 'none' },
  { names: 'id', flags: 'ugGnr', operands: 'none' },
  { names: 'hostname', flags: 'fsiI', operands: 'none' },
  { names: 'pwd', flags: 'LP', operands: 'none' },
  { names: 'jobs', flags: 'lprs', operands: 'none' },
  {
    names: 'date',
    flags: 'uIR',
    values: 'd',
    long: 'utc iso-8601 iso-8601=',
    operands: (words) => words.every(({ text }) => text.startsWith('+')),
  },
  { names: 'sleep', operands: (words) => words.every(({ text }) => /^\d{1,4}(?:\.\d+)?s?$/.test(text)) },
  {
    names: 'seq',
    flags: 'w',
    values: 's',
    operands: (words) => words.every(({ text }) => /^\d{1,7}$/.test(text)),
  },
  { names: 'printf', operands: 'text' },
  { names: 'which', flags: 'a', operands: 'text' },
  { names: 'type', flags: 'atpP', operands: 'text' },
  {
    names: 'grep egrep fgrep',
    flags: 'EFGPivwxcLlqoshHnrIzT',
    values: 'eABCm',
    digits: true,
    operands: 'pattern',
    long: 'color color= context= count exclude-dir= exclude= extended-regexp files-with-matches fixed-strings ignore-case include= invert-match line-number max-count= no-filename only-matching quiet recursive with-filename word-regexp',
  },
  {
    names: 'rg',
    flags: 'nilcwvFSsHNo0',
    values: 'gtTABCme',
    operands: 'pattern',
    long: 'context= count files-with-matches fixed-strings glob= ignore-case line-number type= word-regexp',
  },
  {
    names: 'nvidia-smi',
    flags: 'Lq',
    values: 'd',
    long: 'format= query-compute-apps= query-gpu=',
    operands: 'none',
  },
  { names: 'find', operands: (words, places) => findLooks(words, places) },
  { names: 'sed', operands: (words, places) => sedPrints(words, places) },
  { names: 'awk gawk mawk', values: 'Fv', operands: (words, places) => awkPrints(words, places) },
  { names: 'jq', flags: 'rcsnSeM', operands: (words, places) => jqPicks(words, places) },
];

const programs = new Map(table.flatMap((row) => row.names.split(' ').map((name) => [name, row] as const)));
/** `NAME --version` says which it is and nothing else. */
const versioned = /^(?:python[\d.]*|gcc|g\+\+|clang|nvcc|cmake|make|node|git|bash)$/;

/** The program's name where it is found the usual way; null for a path of anybody's. */
export function programName({ words }: LiteralCommand): string | null {
  const text = words[0]?.text ?? '';
  const name = text.replace(/^(?:\/usr)?\/bin\//, '');
  return name === '' || name.includes('/') ? null : name;
}

/** Whether a command only looks, at what may be looked at. */
export function isHarmless(command: LiteralCommand, places: PlaceRules): boolean {
  const name = programName(command);
  const words = command.words.slice(1);
  if (name === null || command.outputs.length > 0) return false;
  if (!command.inputs.every((path) => mayRead(path, places))) return false;
  if (words.some(({ text }) => looksPrivate(withoutRoots(text, places)))) return false;
  if (name === 'echo') return words.every((word) => !word.glob);
  if (name === 'cd') return words.length === 1 && staysInside(words[0], places);
  if (name === 'test' || name === '[') return tests(name, words, places);
  if (name === 'ps') return /^(?:|aux|-ef|-e|-A|auxf)$/.test(words.map(({ text }) => text).join(' '));
  if (name === 'top')
    return /^(?:-b -n ?\d{1,2}|-bn ?\d{1,2})$/.test(words.map(({ text }) => text).join(' '));
  if (versioned.test(name)) return words.length === 1 && words[0]?.text === '--version';
  const row = programs.get(name);
  return row !== undefined && fits(row, words, places);
}

/** Whether some use of the program runs unasked. */
export function hasHarmlessUse(name: string): boolean {
  return programs.has(name) || /^(?:echo|cd|test|\[|ps|top)$/.test(name);
}

/** A root may be called anything; only what comes after it can be private. */
export function withoutRoots(text: string, { roots }: PlaceRules): string {
  return roots.reduce((rest, root) => (root.length > 1 ? rest.replaceAll(root, '') : rest), text);
}

function staysInside(word: LiteralWord | undefined, places: PlaceRules): boolean {
  return word !== undefined && !word.glob && !/^[-+]/.test(word.text) && mayRead(word.text, places);
}

function fits(row: HarmlessProgram, words: LiteralWord[], places: PlaceRules): boolean {
  const operands = operandsOf(row, words);
  if (operands === null || operands.length > (row.most ?? Number.POSITIVE_INFINITY)) return false;
  const { operands: kind } = row;
  if (typeof kind === 'function') return kind(operands, places);
  if (kind === 'none') return operands.length === 0;
  if (kind === 'text') return operands.every((word) => !word.glob);
  const files = kind === 'pattern' && !givesPattern(row, words) ? operands.slice(1) : operands;
  const leading = row.anyOption === true;
  const shape = { names: kind === 'names', leading };
  return (
    (kind !== 'pattern' || operands[0]?.glob !== true) &&
    files.every((word) => (word.glob ? mayExpand(word.text, places, shape) : mayRead(word.text, places)))
  );
}

const givesPattern = (row: HarmlessProgram, words: LiteralWord[]) =>
  row.operands === 'pattern' && words.some(({ text }) => /^-[a-zA-Z]*e/.test(text));

/** The words that are no options; null when an option is not listed. */
function operandsOf(row: HarmlessProgram, words: LiteralWord[]): LiteralWord[] | null {
  const { flags = '', values = '', long = '' } = row;
  // Their words are read by themselves: what looks like an option there is a predicate or a script's.
  if (/^(?:find|sed)$/.test(row.names)) return words;
  const found: LiteralWord[] = [];
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] as LiteralWord;
    const { text } = word;
    if (text === '--') return [...found, ...words.slice(i + 1)];
    if (!text.startsWith('-') || text === '-') {
      found.push(word);
      continue;
    }
    if (word.glob && row.operands !== 'pattern') return null;
    if (text.startsWith('--')) {
      const [name = ''] = /^--[a-z0-9-]+=?/.exec(text) ?? [];
      if (!long.split(' ').includes(name.slice(2))) return null;
      continue;
    }
    if (row.digits === true && /^-\d+$/.test(text)) continue;
    const value = [...text.slice(1)].findIndex((letter) => values.includes(letter));
    const alone = value < 0 ? text.slice(1) : text.slice(1, value + 1);
    if (![...alone].every((letter) => flags.includes(letter))) return null;
    // The letter that takes a value ends the word, or the rest of the word is it.
    if (value >= 0 && value + 2 === text.length) {
      i += 1;
      if (words[i] === undefined || words[i]?.glob) return null;
    }
  }
  return found;
}

const alone =
  /^-(?:not|o|a|or|and|empty|print|print0|ls|true|false|depth|xdev|mount|readable|writable|executable)$/;
const valued =
  /^-(?:name|iname|path|ipath|wholename|regex|iregex|type|size|mtime|mmin|atime|ctime|cmin|maxdepth|mindepth|perm|user|group|links|regextype)$/;

/** `find` with predicates that look at names and facts of files only. */
function findLooks(words: LiteralWord[], places: PlaceRules): boolean {
  let start = words.findIndex(({ text }) => /^[-()!]/.test(text));
  if (start < 0) start = words.length;
  const folders = words.slice(0, start);
  if (!folders.every((word) => !word.glob && mayRead(word.text, places))) return false;
  for (let i = start; i < words.length; i += 1) {
    const { text, glob } = words[i] as LiteralWord;
    if (glob) return false;
    if (text === '(' || text === ')' || alone.test(text)) continue;
    if (!valued.test(text) || words[i + 1] === undefined || words[i + 1]?.glob) return false;
    i += 1;
  }
  return true;
}

/** `sed -n` with addresses and `p`: the language can also write files and run commands. */
function sedPrints(words: LiteralWord[], places: PlaceRules): boolean {
  const [quiet, script, ...files] = words;
  return (
    quiet?.text === '-n' &&
    script?.glob === false &&
    /^(?:(?:\d+|\$)(?:,(?:\d+|\$))?|\/[\w .:=-]+\/)p(?:; ?(?:\d+|\$)(?:,(?:\d+|\$))?p)*$/.test(script.text) &&
    files.every((word) => !word.glob && !word.text.startsWith('-') && mayRead(word.text, places))
  );
}

/** Everything by which awk writes, starts or reads anything but its operands. */
const awkReach = /[|<>@]|getline|system|ARGV|ARGC|ENVIRON|PROCINFO|close|fflush/;

function awkPrints([program, ...rest]: LiteralWord[], places: PlaceRules): boolean {
  return (
    program?.glob === false &&
    !awkReach.test(program.text.replaceAll('||', ' ')) &&
    rest.every((word) => !word.glob && mayRead(word.text, places))
  );
}

function jqPicks([program, ...files]: LiteralWord[], places: PlaceRules): boolean {
  return (
    program?.glob === false &&
    /^[\w\s.[\]|,:"'-]*$/.test(program.text) &&
    !/env|import|include|input|debug|\bdef\b|path/.test(program.text) &&
    files.every((word) => !word.glob && mayRead(word.text, places))
  );
}

/** `test` without `-v` and `-R`, which carry out what stands in an index. */
function tests(name: string, words: LiteralWord[], places: PlaceRules): boolean {
  const inner = name === '[' ? words.slice(0, -1) : words;
  if (name === '[' && words.at(-1)?.text !== ']') return false;
  const texts = inner.map(({ text }) => text);
  if (inner.some(({ glob }) => glob)) return false;
  if (texts.length === 2) {
    if (/^-[nz]$/.test(texts[0] ?? '')) return true;
    return /^-[abcdefghkpsrwxLSN]$/.test(texts[0] ?? '') && mayRead(texts[1] ?? '', places);
  }
  if (texts.length !== 3) return false;
  if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(texts[1] ?? ''))
    return /^\d+$/.test(texts[0] ?? '') && /^\d+$/.test(texts[2] ?? '');
  return /^(?:=|==|!=)$/.test(texts[1] ?? '');
}
