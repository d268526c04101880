import { WaymarkError } from '@shared/contract/errors';
import { type ExportFilter, exportFilter } from '@shared/contract/export-request';

/** Conditions that take a name, by the word before `=`; several of one kind are alternatives. */
const names = {
  task: 'tasks',
  domain: 'domains',
  experiment: 'experiments',
  arm: 'arms',
  annotator: 'annotators',
  judge: 'judges',
} as const;
const closed = {
  source: { field: 'sources', words: ['adjudication', 'human', 'rule', 'judge'] },
  kind: { field: 'kinds', words: ['react', 'summary'] },
} as const;

/** What `--help` and every refusal say. */
const filterWords =
  'task=, domain=, experiment=, arm=, annotator=, judge=, source=, kind=, score>=, successful, tokens>=, tokens<=, date>=, date<';

/**
 * `--filter` of the command line. Each value holds conditions with commas between them; all conditions of all values must hold, but
 * several of one word with `=` are alternatives: `task=a,task=b,score>=80`. A value with a comma stands in double quotes, in
 * which `""` is one: `arm="with, or ""without"""`. Dates are days or moments of ISO 8601, days in UTC.
 *
 * @throws WaymarkError `bad_input` that names the condition
 */
export function parseFilter(values: readonly string[]): ExportFilter {
  const filter: Record<string, unknown> = {};
  const add = (field: string, word: string) => {
    const known = filter[field];
    filter[field] = Array.isArray(known) ? [...new Set([...known, word])] : [word];
  };
  const once = (field: string, value: unknown, condition: string) => {
    if (field in filter && filter[field] !== value)
      throw wrong(condition, 'is given twice with different values');
    filter[field] = value;
  };
  for (const { word, sign, value, text } of values.flatMap(conditionsOf)) {
    const said = `${word}${sign}`;
    if (sign === '=' && Object.hasOwn(names, word))
      add(names[word as keyof typeof names], named(value, text));
    else if (sign === '=' && Object.hasOwn(closed, word)) {
      const { field, words } = closed[word as keyof typeof closed];
      if (!(words as readonly string[]).includes(value))
        throw wrong(text, `must name one of ${words.join(', ')}`);
      add(field, value);
    } else if (said === 'successful') once('successful', true, text);
    else if (said === 'score>=') once('minScore', numberOf(value, text), text);
    else if (said === 'tokens>=') once('minTokens', wholeOf(value, text), text);
    else if (said === 'tokens<=') once('maxTokens', wholeOf(value, text), text);
    else if (said === 'date>=') once('after', momentOf(value, text), text);
    else if (said === 'date<') once('before', momentOf(value, text), text);
    else if (['score', 'tokens', 'date'].includes(word) && sign === '')
      throw wrong(
        text,
        `lacks its number. A shell takes > and < for itself: quote the whole filter, '${word}>=…'`,
      );
    else throw wrong(text, `is not a condition of a filter. Write one of: ${filterWords}`);
  }
  const parsed = exportFilter.safeParse(filter);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw wrong(String(issue?.path[0] ?? ''), `cannot be used: ${issue?.message}`);
}

interface Condition {
  word: string;
  sign: '' | '=' | '>=' | '<=' | '<' | '>';
  value: string;
  text: string;
}

const condition = /^\s*([a-z]+)\s*(?:(>=|<=|=|<|>)\s*(?:"((?:[^"]|"")*)"|([^",]*?)))?\s*(?:,|$)/;

function conditionsOf(whole: string): Condition[] {
  const found: Condition[] = [];
  for (let rest = whole; rest !== '' || found.length === 0; ) {
    const match = condition.exec(rest);
    if (match === null) {
      throw wrong(
        rest,
        `cannot be read. Write conditions with commas between them (${filterWords}), and a value with a comma or quote in double quotes`,
      );
    }
    const [text, word = '', sign = '', quoted, plain] = match;
    const value = quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"');
    found.push({ word, sign: sign as Condition['sign'], value, text: text.replace(/,$/, '').trim() });
    // A comma at the end asks for one more.
    if (text.length === rest.length && text.endsWith(',')) throw wrong(whole, 'ends with a comma');
    rest = rest.slice(text.length);
  }
  return found;
}

function named(value: string, text: string): string {
  if (value === '') throw wrong(text, 'lacks the name after =');
  return value;
}

function numberOf(value: string, text: string): number {
  if (/^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  throw wrong(text, 'must end with a number');
}

function wholeOf(value: string, text: string): number {
  if (/^\d+$/.test(value) && Number.isSafeInteger(Number(value))) return Number(value);
  throw wrong(text, 'must end with a whole number of tokens');
}

function momentOf(value: string, text: string): number {
  const isIso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(value);
  const at = isIso ? Date.parse(value) : Number.NaN;
  // Some engines turn 2026-02-30 into a day of March.
  const isDay = !Number.isNaN(at) && (value.length > 10 || new Date(at).toISOString().startsWith(value));
  if (isDay) return at;
  throw wrong(text, 'must end with a date such as 2026-03-31 or 2026-03-31T12:00:00Z');
}

function wrong(condition: string, why: string): WaymarkError {
  return new WaymarkError('bad_input', `Filter "${condition}" ${why}.`);
}
