import { tokensOf } from './search-tokens';

/** A prefilter with a shorter word would let nearly everything through. */
const MIN_LETTERS = 3;

/**
 * A phrase of the index that stands in every text the pattern matches: the words of a run of plain characters that must occur.
 * Null when the pattern demands no such run, and every text must be looked at. A word counts only where the run itself shows
 * that it begins there: in `rror: out` the word `rror` may be the end of `Error`.
 */
export function requiredPhrase(source: string): { tokens: string[]; prefix: boolean } | null {
  let best: { tokens: string[]; prefix: boolean } | null = null;
  for (const run of literalRuns(source) ?? []) {
    const words = [...tokensOf(run)].filter(({ start }) => start > 0);
    const last = words.at(-1);
    const tokens = words.map(({ text }) => text);
    const longest = Math.max(0, ...tokens.map(({ length }) => length));
    const known = best === null ? 0 : Math.max(...best.tokens.map(({ length }) => length));
    if (last !== undefined && longest >= MIN_LETTERS && longest > known) {
      best = { tokens, prefix: last.end === run.length };
    }
  }
  return best;
}

/** Runs of ASCII characters that every match holds, from the top level only; null when there is a choice between branches. */
function literalRuns(source: string): string[] | null {
  const runs: string[] = [];
  let run = '';
  const cut = () => {
    if (run !== '') runs.push(run);
    run = '';
  };
  let at = 0;
  while (at < source.length) {
    const sign = source[at] ?? '';
    if (sign === '|') return null;
    if (sign === '(' || sign === '[') {
      cut();
      at = endOf(source, at);
      at = skipQuantifier(source, at);
      continue;
    }
    const [character, next] = literalAt(source, at);
    const after = skipQuantifier(source, next);
    if (character === null) cut();
    else if (after === next) run += character;
    else {
      cut();
      // `a+` holds at least one, but what follows need not be next to it.
      if (/^(?:\+|\{[1-9])/.test(source.slice(next))) runs.push(character);
    }
    at = after;
  }
  cut();
  return runs;
}

/** The plain character at a place, or null where there is none, and where it ends. */
function literalAt(source: string, at: number): [string | null, number] {
  const sign = source[at] ?? '';
  if (sign !== '\\') return [/[\x20-\x7e]/.test(sign) && !/[.^$*+?{}\])]/.test(sign) ? sign : null, at + 1];
  const escaped = source[at + 1] ?? '';
  // Only signs stand for themselves; \b, \d, \u0041 and the like do not.
  if (/[^\w\s]/.test(escaped) && escaped <= '\x7e') return [escaped, at + 2];
  if (/[xuckpP]/.test(escaped)) {
    const long = /^\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|u\{[0-9a-f]+\}|c[a-z]|k<[^>]*>|p\{[^}]*\})/i.exec(
      source.slice(at),
    );
    return [null, at + (long?.[0].length ?? 2)];
  }
  const digits = /^\\\d+/.exec(source.slice(at));
  return [null, at + (digits?.[0].length ?? 2)];
}

function skipQuantifier(source: string, at: number): number {
  return at + (/^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(source.slice(at))?.[0].length ?? 0);
}

/** Behind the bracket that closes the one at `at`. */
function endOf(source: string, at: number): number {
  let depth = 0;
  let inClass = false;
  for (let place = at; place < source.length; place += 1) {
    const sign = source[place];
    if (sign === '\\') place += 1;
    else if (inClass) inClass = sign !== ']';
    else if (sign === '[') inClass = true;
    else if (sign === '(') depth += 1;
    else if (sign === ')') depth -= 1;
    if (!inClass && depth === 0) return place + 1;
  }
  return source.length;
}
