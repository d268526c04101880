import type { SearchHit } from '@shared/views';
import { tokensOf } from './search-tokens';

export type SearchField = SearchHit['field'];

/** One word, phrase or prefix to be found; all terms of a query must be. */
export interface SearchTerm {
  field: SearchField | null;
  tokens: string[];
  /** The last token may go on. */
  prefix: boolean;
}

const FIELDS: Readonly<Record<string, SearchField>> = {
  thought: 'thought',
  arguments: 'arguments',
  args: 'arguments',
  observation: 'observation',
  obs: 'observation',
  hint: 'hint',
};

const COLUMNS: Readonly<Record<SearchField, string>> = {
  thought: 'thought',
  arguments: 'args',
  observation: 'obs',
  hint: 'hint',
};

/** A one-letter prefix would list half the vocabulary. */
const MIN_PREFIX = 2;

const TERM = /(?:(thought|arguments|args|observation|obs|hint):)?(?:"([^"]*)"?|(\S+))/giu;

/**
 * What a person types: words (all must occur), "phrases", `prefix*` of two letters or more, and
 * `thought:`, `arguments:`, `observation:`, `hint:` before any of them. Nothing is a syntax error.
 */
export function parseQuery(query: string): SearchTerm[] {
  const terms: SearchTerm[] = [];
  for (const [, field, phrase, word] of query.slice(0, 1000).matchAll(TERM)) {
    const tokens = [...tokensOf(phrase ?? word ?? '')].map(({ text }) => text);
    const last = tokens.at(-1);
    if (last !== undefined) {
      const prefix = word?.endsWith('*') === true && [...last].length >= MIN_PREFIX;
      terms.push({
        field: field === undefined ? null : (FIELDS[field.toLowerCase()] ?? null),
        tokens,
        prefix,
      });
    }
  }
  return terms;
}

/** The MATCH expression; tokens hold letters and digits only, so quoting them is enough. */
export function matchExpression(terms: readonly SearchTerm[]): string {
  return terms
    .map(({ field, tokens, prefix }) => {
      const column = field === null ? '' : `${COLUMNS[field]} : `;
      return `${column}"${tokens.join(' ')}"${prefix ? ' *' : ''}`;
    })
    .join(' AND ');
}
