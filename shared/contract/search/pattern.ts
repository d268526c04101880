import type { SearchProblem } from './views';

/** A regular expression as it was typed between slashes. */
export interface Pattern {
  source: string;
  /** Of i, m, s and u. */
  flags: string;
}

/**
 * The pattern a query is: `/…/` with flags behind it, and no bare slash inside, so that a path stays a path.
 * Null for a query of words.
 */
export function patternOf(query: string): Pattern | null {
  const typed = query.trim();
  const end = typed.lastIndexOf('/');
  const flags = typed.slice(end + 1);
  const source = typed.slice(1, end);
  if (!typed.startsWith('/') || end < 2 || !/^[a-zA-Z]*$/.test(flags) || hasBareSlash(source)) return null;
  return { source, flags };
}

function hasBareSlash(source: string): boolean {
  let inClass = false;
  for (let at = 0; at < source.length; at += 1) {
    const sign = source[at];
    if (sign === '\\') at += 1;
    else if (sign === '[') inClass = true;
    else if (sign === ']') inClass = false;
    else if (sign === '/' && !inClass) return true;
  }
  return false;
}

/** Checks what `patternOf` found; a problem says where the pattern is wrong. */
export function checkPattern(pattern: Pattern): SearchProblem | null {
  const flag = [...pattern.flags].find(
    (each, index) => !'imsu'.includes(each) || pattern.flags.indexOf(each) < index,
  );
  if (flag !== undefined) return { code: 'bad_flag', flag };
  const message = errorOf(pattern.source, pattern.flags);
  return message === null ? null : { code: 'bad_pattern', message, at: placeOf(pattern, message) };
}

/** The engine's own words without the pattern; null when it is a good one. */
function errorOf(source: string, flags: string): string | null {
  try {
    new RegExp(source, flags);
    return null;
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return message.slice(message.lastIndexOf(': ') + 2);
  }
}

/** Engines do not tell the place: what is left open is looked for, anything else is where the message first appears. */
function placeOf({ source, flags }: Pattern, message: string): number | null {
  const open = leftOpen(source);
  if (/unterminated/i.test(message) && open !== null) return open;
  for (let length = 1; length <= source.length; length += 1) {
    if (errorOf(source.slice(0, length), flags) === message) return length - 1;
  }
  return null;
}

/** The last group or class that is not closed. */
function leftOpen(source: string): number | null {
  const groups: number[] = [];
  let inClass: number | null = null;
  for (let at = 0; at < source.length; at += 1) {
    const sign = source[at];
    if (sign === '\\') at += 1;
    else if (inClass !== null) inClass = sign === ']' ? null : inClass;
    else if (sign === '[') inClass = at;
    else if (sign === '(') groups.push(at);
    else if (sign === ')') groups.pop();
  }
  return inClass ?? groups.at(-1) ?? null;
}
