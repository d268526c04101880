import { parseArgs } from 'node:util';
import { mostName, whyNoLine } from '@shared/base/clean-text';
import { readDecimal } from '@shared/base/decimal';
import { nearestName } from '@shared/base/edit-distance';
import { WaymarkError } from '@shared/contract/errors';
import { durationMs } from '@shared/contract/task';
import { commandOf, commands, generalOptions } from './words/command-table';
import { type OptionName, options, takesValue } from './words/options';

export interface Arguments {
  words: string[];
  values: ReturnType<typeof parse>['values'];
}

function parse(argv: string[]) {
  return parseArgs({
    args: withNegatives(argv),
    options,
    allowPositionals: true,
    strict: true,
    tokens: true,
  });
}

/** A number below 0 after an option is its value, so that who reads it can say what it must be; Node takes it for an option. */
function withNegatives(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  const joined: string[] = [];
  for (const [at, word] of argv.entries()) {
    const option = joined.at(-1) ?? '';
    const open = (end < 0 || at < end) && isValueless(option) === false;
    if (open && /^-[\d.]/.test(word)) joined[joined.length - 1] = `${option}=${word}`;
    else joined.push(word);
  }
  return joined;
}

/** Whether an option as typed takes no value; null: it is none. */
function isValueless(word: string): boolean | null {
  const name = word.slice(2);
  return word.startsWith('--') && Object.hasOwn(options, name) ? !takesValue(name as OptionName) : null;
}

/** @throws WaymarkError `bad_input` that names an option that is unknown, or that the command does not take. */
export function parseArguments(argv: string[]): Arguments {
  const { positionals, values, tokens } = parsed(argv);
  const command = commandOf(positionals);
  const given = tokens.flatMap((token) => (token.kind === 'option' ? [token.name as OptionName] : []));
  if (command !== null && !values.help) refuseOthers(command, given);
  return { words: positionals, values };
}

function parsed(argv: string[]): ReturnType<typeof parse> {
  try {
    return parse(argv);
  } catch (error) {
    const unknown = /^Unknown option '--([a-z-]+)'/.exec((error as Error).message)?.[1];
    const near = unknown === undefined ? null : nearestName(unknown, Object.keys(options));
    throw new WaymarkError(
      'bad_input',
      `${problemOf(error as Error)} ${near === null ? '' : `Did you mean --${near}? `}Run "waymark --help" for the commands.`,
    );
  }
}

function refuseOthers(command: string, given: readonly OptionName[]): void {
  const taken: readonly OptionName[] = [...(commands[command]?.options ?? []), ...generalOptions];
  const other = given.find((name) => !taken.includes(name));
  if (other === undefined) return;
  const near = nearestName(other, taken);
  throw new WaymarkError(
    'bad_input',
    `"${command}" takes no --${other}. ${near === null ? '' : `Did you mean --${near}? `}It takes ${taken.map((name) => `--${name}`).join(', ')}.`,
  );
}

/** Node's first sentence says what is wrong; what follows it is about other programs. */
function problemOf({ message }: Error): string {
  const first = message
    .replace(/\. To specify .*$/s, '')
    .replace(/\n.*$/s, '')
    .replace(/\.$/, '');
  return `${first}.`;
}

/** The value of a required option or word. */
export function required(value: string | undefined, what: string): string {
  if (value !== undefined && value !== '') return value;
  throw new WaymarkError('bad_input', `${what} is missing. Run "waymark --help" for the commands.`);
}

/** A name that may be left out but not left empty, and that stands in one row of a list; null when nothing was given. */
export function filled(value: string | undefined, what: string, most = mostName): string | null {
  if (value === undefined) return null;
  if (value.trim() === '')
    throw new WaymarkError('bad_input', `${what} is empty. Give it a value, or leave it out.`);
  const why = whyNoLine(value, most);
  // A blank at the end is seen by nobody, and would make another name.
  if (why === null) return value.trim();
  throw new WaymarkError('bad_input', `${what} ${why}. Choose another name, or leave it out.`);
}

/** One of `allowed`, or `fallback` when nothing was given. */
export function oneOf<T extends string>(
  value: string | undefined,
  allowed: readonly T[],
  fallback: T,
  what: string,
): T {
  if (value === undefined) return fallback;
  const found = allowed.find((candidate) => candidate === value);
  if (found) return found;
  throw new WaymarkError('bad_input', `${what} is "${value}" but must be one of ${allowed.join(', ')}.`);
}

/** A whole number from 0 to `most`, or null when nothing was given. */
export function wholeNumber(
  value: string | undefined,
  what: string,
  most = Number.MAX_SAFE_INTEGER,
): number | null {
  if (value === undefined) return null;
  const isWhole = /^\d+$/.test(value);
  if (isWhole && Number(value) <= most) return Number(value);
  throw new WaymarkError(
    'bad_input',
    isWhole
      ? `${what} is ${value}, but the maximum is ${most}. Give a smaller number.`
      : `${what} is "${value}" but must be a whole number, 0 or above.`,
  );
}

/** A whole number ≥ 1, or null when nothing was given. */
export function positive(value: string | undefined, what: string): number | null {
  if (value === undefined) return null;
  const number = Number(value);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new WaymarkError('bad_input', `${what} is "${value}" but must be a whole number above 0.`);
}

/** A number above 0, or null when nothing was given. */
export function positiveNumber(value: string | undefined, what: string): number | null {
  if (value === undefined) return null;
  const number = readDecimal(value);
  if (Number.isFinite(number) && number > 0) return number;
  throw new WaymarkError('bad_input', `${what} is "${value}" but must be a number above 0.`);
}

/** Milliseconds of `90s`, `30m`, `48h` or `2d`, or null when nothing was given. */
export function duration(value: string | undefined, what: string): number | null {
  if (value === undefined) return null;
  const ms = durationMs(value);
  if (ms !== null) return ms;
  if (/^0+(?:\.0*)?[a-z]$/.test(value)) {
    throw new WaymarkError(
      'bad_input',
      `${what} is "${value}", which is zero. Give a longer time, such as 90s, 30m, 48h or 2d.`,
    );
  }
  throw new WaymarkError(
    'bad_input',
    `${what} is "${value}" but must be a time such as 90s, 30m, 48h or 2d.`,
  );
}

/** `12` or `12-15`, per-run step numbers. */
export function stepRange(value: string): { from: number; to: number } {
  const match = /^(\d+)(?:-(\d+))?$/.exec(value);
  const from = Number(match?.[1]);
  const to = Number(match?.[2] ?? match?.[1]);
  if (match && from >= 1 && to >= from) return { from, to };
  throw new WaymarkError(
    'bad_input',
    `"${value}" is not a step. Write a number such as 12, or a range such as 12-15.`,
  );
}
