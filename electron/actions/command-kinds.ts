import { isHarmless, programName, withoutRoots } from './harmless-commands';
import type { LiteralCommand } from './literal-command';
import { looksPrivate, mayChange, mayRead, type PlaceRules } from './readable-paths';

/**
 * Kinds of commands that a person can allow for the rest of a run. A kind is what they read, so it says everything it
 * covers; what has none is asked about each time. Recorded in the log as it is written here.
 */

/** Runs code that lies in the workspace, which the agent can write at any time: the kind covers that. */
export const codeKind = (program: string) =>
  `${program}, with files of the workspace that the agent may have written`;
export const typingKind = (session: string) => `typing into the session ${session}`;

const interpreters = /^(?:python[\d.]*|node|perl|ruby|Rscript)$/;
const shells = /^(?:bash|sh|dash)$/;
const launchers = /^(?:torchrun|accelerate|deepspeed|pytest|make|cmake|ninja|cargo)$/;
const compilers = /^(?:gcc|g\+\+|cc|clang|nvcc)$/;
const pythonModules =
  /^(?:pytest|json\.tool|torch\.distributed\.run|torch\.distributed\.launch|unittest|compileall)$/;
const gitWords =
  /^(?:status|diff|log|show|branch|blame|rev-parse|ls-files|add|commit|checkout|switch|restore|stash|tag)$/;
/** Options by which git and friends start another program or write elsewhere. */
const gitReach = /^(?:-c|-C|-O|--(?:ext-diff|textconv|output|exec|open-files|git-dir|work-tree|upload-pack))/;
const sedEdits =
  /^(?:(?:\d+|\$)(?:,(?:\d+|\$))?)?(?:d|s\/(?:[^/\\\n]|\\[^\n])*\/(?:[^/\\\n]|\\[^\n])*\/[gIip\d]*)$/;

/** Writing by `>`, beside what the command is itself. */
const outputKind = 'writing files in the workspace with >';

/** The kinds that together cover a command that is asked about; null when there are none for it. */
export function kindsOf(command: LiteralCommand, places: PlaceRules): string[] | null {
  const { inputs, outputs, words } = command;
  if (inputs.some((path) => !mayRead(path, places)) || outputs.some((path) => !mayChange(path, places)))
    return null;
  if (words.some(({ text }) => looksPrivate(withoutRoots(text, places)))) return null;
  const writing = outputs.length > 0 ? [outputKind] : [];
  if (isHarmless({ ...command, outputs: [] }, places)) return writing;
  const kind = kindOfProgram(command, places);
  return kind === null ? null : [kind, ...writing];
}

function kindOfProgram(command: LiteralCommand, places: PlaceRules): string | null {
  const name = programName(command);
  const words = command.words.slice(1).map(({ text }) => text);
  const globs = command.words.some(({ glob }) => glob);
  const operands = words.filter((word) => !word.startsWith('-'));
  const path = command.words[0]?.text ?? '';
  if (name === null) return mayChange(path, places) ? codeKind('programs') : null;
  if (interpreters.test(name)) return interpreted(name, words, places);
  if (shells.test(name)) return runsFile(words, /^-[xeu]+$/, places) ? codeKind(name) : null;
  if (launchers.test(name)) return launched(name, words, places);
  if (compilers.test(name)) return compiled(name, words, places);
  if (name === 'git') return stay(words, places) ? gitKind(words) : null;
  if (name === 'pip' || name === 'pip3') return pipKind(name, words);
  if (name === 'sed') return sedKind(words, command, places);
  if (/^(?:awk|gawk|mawk)$/.test(name)) return awkKind(name, words, command, places);
  if (name === 'mkdir' || name === 'touch' || name === 'rm' || name === 'rmdir') {
    return !globs && operands.length > 0 && operands.every((word) => mayChange(word, places))
      ? `${name}, inside the workspace`
      : null;
  }
  if (name === 'cp' || name === 'mv') {
    const plain = !globs && words.every((word) => !/^-.*[tsS]|^--/.test(word));
    return plain && operands.length > 1 && operands.every((word) => mayChange(word, places))
      ? `${name}, inside the workspace`
      : null;
  }
  return null;
}

/** The first word that is no option is a file of the workspace. */
function runsFile(words: readonly string[], options: RegExp, places: PlaceRules): boolean {
  const file = words.find((word) => !options.test(word));
  return file !== undefined && !file.startsWith('-') && mayChange(file, places);
}

function interpreted(name: string, words: readonly string[], places: PlaceRules): string | null {
  const rest = words.filter((word, i) => !(i === 0 && /^-[uBOs]+$/.test(word)));
  if (rest[0] === '-m' && name.startsWith('python')) {
    return pythonModules.test(rest[1] ?? '') ? codeKind(`${name} -m ${rest[1]}`) : null;
  }
  return runsFile(words, /^-[uBOs]+$/, places) ? codeKind(name) : null;
}

/** Paths among the words, as values of options too, lead nowhere but where may be looked. */
function stay(words: readonly string[], places: PlaceRules): boolean {
  return words.every((word) => {
    const path = word.replace(/^-[^=]*=/, '').replace(/^-[A-Za-z](?=\/)/, '');
    return !(path.startsWith('/') || path.split('/').includes('..')) || mayRead(path, places);
  });
}

/** They start what lies in the workspace, unless they are told to start something else. */
function launched(name: string, words: readonly string[], places: PlaceRules): string | null {
  const other = /^--?no[_-]?python|^SHELL=|^-E$|^--(?:eval|config)\b/;
  return stay(words, places) && !words.some((word) => other.test(word)) ? codeKind(name) : null;
}

const compilerOptions =
  /^-(?:O[0-3sg]?|g|W[a-z-]+|[oc]|std=[\w+]+|l\w+|fopenmp|fPIC|shared|pthread|march=[\w-]+|D\w+(?:=\w*)?|I[\w./-]+)$/;

function compiled(name: string, words: readonly string[], places: PlaceRules): string | null {
  const fits = words.every((word) =>
    word.startsWith('-') ? compilerOptions.test(word) && !word.includes('..') : mayChange(word, places),
  );
  return fits && !words.some((word) => /^-W[alp],/.test(word) || word === '-Wrapper' || word.startsWith('@'))
    ? `${name}, from and to files of the workspace`
    : null;
}

function gitKind([verb = '', ...rest]: readonly string[]): string | null {
  if (!gitWords.test(verb) || rest.some((word) => gitReach.test(word))) return null;
  return codeKind(`git ${verb}`);
}

const pipOptions = /^(?:-[qUv]|--(?:upgrade|quiet|no-deps|outdated|files|format=\w+))$/;
/** A package by its name, with a version: no file, folder or address. */
const packageName = /^[A-Za-z0-9][\w.-]*(?:\[[\w,-]+\])?(?:[=<>!~]=?[\w.*]+)?$/;

function pipKind(name: string, [verb = '', ...rest]: readonly string[]): string | null {
  const fits = rest.every((word) =>
    word.startsWith('-')
      ? pipOptions.test(word)
      : packageName.test(word) && !/\.(?:whl|zip|tar|gz|tgz|bz2)$/.test(word),
  );
  if (!fits) return null;
  if (/^(?:list|show|freeze|check)$/.test(verb)) return `${name} ${verb}`;
  return verb === 'install' ? `${name} install, packages by name` : null;
}

function sedKind(words: readonly string[], command: LiteralCommand, places: PlaceRules): string | null {
  const rest = words.filter((word) => !/^-(?:i|E|r|n)$/.test(word));
  const [script = '', ...files] = rest;
  const fits = sedEdits.test(script) && command.words.every(({ glob }) => !glob);
  return fits && files.length > 0 && files.every((file) => mayChange(file, places))
    ? 'sed, replacing and deleting lines inside the workspace'
    : null;
}

/** A program that may print and compare, and start or reach nothing. */
function awkKind(
  name: string,
  words: readonly string[],
  command: LiteralCommand,
  places: PlaceRules,
): string | null {
  const rest = words.flatMap((word, i) =>
    /^-[Fv]/.test(word) || /^-[Fv]$/.test(words[i - 1] ?? '') ? [] : [word],
  );
  const [program = '', ...files] = rest;
  const reaches = /[|@]|getline|system|ARGV|ARGC|ENVIRON|PROCINFO/.test(program.replaceAll('||', ' '));
  // Comparing with a number is the only `>` that cannot write a file of any name.
  const writes = />(?!=?\s*\d)/.test(program);
  const plain = command.words.every(({ glob }) => !glob) && program !== '' && !program.startsWith('-');
  return plain && !reaches && !writes && files.every((file) => mayRead(file, places))
    ? `${name}, reading files of the workspace`
    : null;
}

/** Whether a command carries out files that the agent could have written. */
export function runsCode(command: LiteralCommand): boolean {
  const name = programName(command);
  return name === null || interpreters.test(name) || shells.test(name) || launchers.test(name);
}
