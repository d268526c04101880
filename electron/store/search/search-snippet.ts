import { type SearchField, searchFields } from '@shared/contract/search/views';
import type { SearchTerm } from './search-query';
import { isCjk, type Token, tokensOf } from './search-tokens';

/** Marks around a hit in a snippet. */
export const HIT_START = '\u0001';
export const HIT_END = '\u0002';

const BEFORE = 50;
const AFTER = 130;

export interface HitRange {
  start: number;
  end: number;
}

/**
 * The first place where a term of the query occurs, with every hit near it marked. `textOf` is asked field by field, so that what
 * stands behind the first hit need not be read.
 */
export function snippetOf(
  textOf: (field: SearchField) => string,
  terms: readonly SearchTerm[],
): { field: SearchField; snippet: string } {
  for (const field of searchFields) {
    const wanted = terms.filter((term) => term.field === null || term.field === field);
    const text = wanted.length === 0 ? '' : textOf(field);
    const hits = text === '' ? [] : firstHits(text, wanted);
    if (hits.length > 0) {
      return { field, snippet: markedExcerpt(text, hits) };
    }
  }
  return { field: 'observation', snippet: '' };
}

/** Behind a hit this much is looked at for the others, UTF-16 units; the longest query fits in. */
const NEAR = 1500;

/** Ranges of hits from the first one on, as far as a snippet reaches. */
function firstHits(text: string, terms: readonly SearchTerm[]): HitRange[] {
  const first = firstPlace(text, terms);
  if (first !== null) {
    const hits = hitsIn(text.slice(first, first + NEAR), terms);
    if (hits.length > 0) return hits.map(({ start, end }) => ({ start: start + first, end: end + first }));
  }
  // A word may be written in another way than it was typed only where there is more than ASCII.
  return /[^\x00-\x7f]/.test(text) ? hitsIn(text, terms) : [];
}

/** Where a term that is written as it was typed first begins: many times faster than to cut the text into words. */
function firstPlace(text: string, terms: readonly SearchTerm[]): number | null {
  let first: number | null = null;
  for (const term of terms) {
    const [word] = term.tokens;
    if (word === undefined) continue;
    for (const { index } of text.matchAll(new RegExp(word, 'giu'))) {
      if (first !== null && index >= first) break;
      if (!isInsideWord(text, index) && beginsWithTerm(text.slice(index, index + NEAR), term)) {
        first = index;
        break;
      }
    }
  }
  return first;
}

/** Whether a word that is no CJK character goes on at a place. */
function isInsideWord(text: string, at: number): boolean {
  const before = /[\p{L}\p{N}\p{Co}\p{M}]$/u.exec(text.slice(Math.max(0, at - 2), at))?.[0];
  return before !== undefined && !isCjk(before) && !isCjk(text.slice(at, at + 2));
}

function beginsWithTerm(text: string, term: SearchTerm): boolean {
  const window: Token[] = [];
  for (const token of tokensOf(text)) {
    window.push(token);
    if (window.length === term.tokens.length) return endsWithTerm(window, term) !== undefined;
  }
  return false;
}

function hitsIn(text: string, terms: readonly SearchTerm[]): HitRange[] {
  const hits: HitRange[] = [];
  const longest = Math.max(...terms.map(({ tokens }) => tokens.length));
  const window: Token[] = [];
  for (const token of tokensOf(text)) {
    const first = hits[0];
    if (first !== undefined && token.start > first.start + AFTER) {
      break;
    }
    window.push(token);
    if (window.length > longest) {
      window.shift();
    }
    for (const term of terms) {
      const start = endsWithTerm(window, term);
      if (start !== undefined && (hits.at(-1)?.end ?? -1) <= start) {
        hits.push({ start, end: token.end });
      }
    }
  }
  return hits;
}

function endsWithTerm(window: readonly Token[], term: SearchTerm): number | undefined {
  const offset = window.length - term.tokens.length;
  const matches = term.tokens.every((wanted, index) => {
    const found = window[offset + index]?.text;
    const open = term.prefix && index === term.tokens.length - 1;
    return found !== undefined && (open ? found.startsWith(wanted) : found === wanted);
  });
  return matches ? window[offset]?.start : undefined;
}

/** One line of text around the first hit, with every hit in it marked. */
export function markedExcerpt(text: string, hits: readonly HitRange[]): string {
  const first = hits[0]?.start ?? 0;
  const from = Math.max(0, first - BEFORE);
  const to = Math.min(text.length, first + AFTER);
  let snippet = from > 0 ? '…' : '';
  let at = from;
  for (const { start, end } of hits) {
    const shown = Math.min(end, Math.max(start + 1, to));
    snippet += clean(text.slice(at, start)) + HIT_START + clean(text.slice(start, shown)) + HIT_END;
    at = shown;
  }
  return snippet + clean(text.slice(at, Math.max(at, to))) + (Math.max(at, to) < text.length ? '…' : '');
}

/** One line; the marks themselves must not come from the text. */
function clean(text: string): string {
  return text.replace(/[\u0000-\u0020\u007f]+/g, ' ').replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}
