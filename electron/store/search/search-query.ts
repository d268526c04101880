import type { SearchField, SearchProblem } from '@shared/contract/search/views';
import { isCjk, tokensOf } from './search-tokens';

/** One word, phrase or prefix. */
export interface SearchTerm {
  field: SearchField | null;
  tokens: string[];
  /** The last token may go on. */
  prefix: boolean;
  /** As typed, without quotes and star. */
  raw: string;
}

/** All of `terms` must occur, none of `excluded`. With a problem both are empty. */
export interface WordQuery {
  terms: SearchTerm[];
  excluded: SearchTerm[];
  problem: SearchProblem | null;
}

const FIELDS: Readonly<Record<string, SearchField>> = {
  thought: 'thought',
  arguments: 'arguments',
  args: 'arguments',
  observation: 'observation',
  obs: 'observation',
  hint: 'hint',
  file: 'file',
};

const COLUMNS: Readonly<Record<SearchField, string>> = {
  thought: 'thought',
  arguments: 'args',
  observation: 'obs',
  hint: 'hint',
  file: 'file',
};

/** A one-letter prefix would list half the vocabulary. */
const MIN_PREFIX = 2;
const MAX_QUERY = 1000;

const TERM =
  /(?:(?<=^|\s)(-)(?!-))?(?:(thought|arguments|args|observation|obs|hint|file):)?(?:"([^"]*)("?)|(\S+))/giu;

/**
 * What a person types: words (all must occur), "phrases", `prefix*`, `-word` that must not occur, and `thought:`, `args:`,
 * `obs:`, `hint:`, `file:` before any of them. The last word is a prefix as long as nothing follows it, not even a space.
 * Nothing is a syntax error.
 */
export function parseQuery(query: string): WordQuery {
  const typed = query.slice(0, MAX_QUERY);
  const terms: SearchTerm[] = [];
  const excluded: SearchTerm[] = [];
  let short: string | null = null;
  let words = 0;
  for (const match of typed.matchAll(TERM)) {
    const [whole, minus, field, phrase, closed, word] = match;
    const raw = phrase ?? (word ?? '').replace(/\*+$/, '');
    const tokens = [...tokensOf(raw)].map(({ text }) => text);
    const last = tokens.at(-1);
    if (last === undefined) continue;
    words += 1;
    const ends = match.index + whole.length === typed.length;
    const starred = word?.endsWith('*') === true;
    // "model." is no longer being typed; a CJK character is a whole word.
    const typing = ends && minus === undefined && /[\p{L}\p{N}\p{M}]$/u.test(typed) && closed !== '"';
    const open = starred || (typing && (word !== undefined || closed === ''));
    const long = [...last].length >= MIN_PREFIX;
    if (open && !long && !isCjk(last)) {
      // On the way to a longer word: it does not count yet.
      if (tokens.length === 1) short = word ?? last;
      else terms.push({ field: fieldOf(field), tokens: tokens.slice(0, -1), prefix: false, raw });
      continue;
    }
    const term = { field: fieldOf(field), tokens, prefix: open && long, raw };
    (minus === undefined ? terms : excluded).push(term);
  }
  if (terms.length > 0) return { terms, excluded, problem: null };
  const none = { terms: [], excluded: [] };
  if (short !== null) return { ...none, problem: { code: 'too_short', word: short } };
  if (words > 0) return { ...none, problem: { code: 'only_excluded' } };
  return { ...none, problem: typed.trim() === '' ? null : { code: 'no_word' } };
}

function fieldOf(field: string | undefined): SearchField | null {
  return field === undefined ? null : (FIELDS[field.toLowerCase()] ?? null);
}

/** The MATCH expression; tokens hold letters and digits only, so quoting them is enough. */
export function matchExpression({ terms, excluded }: Pick<WordQuery, 'terms' | 'excluded'>): string {
  const wanted = terms.map(expression).join(' AND ');
  return excluded.length === 0 ? wanted : `(${wanted}) NOT (${excluded.map(expression).join(' OR ')})`;
}

function expression({ field, tokens, prefix }: SearchTerm): string {
  const column = field === null ? '' : `${COLUMNS[field]} : `;
  return `(${column}"${tokens.join(' ')}"${prefix ? ' *' : ''})`;
}
