/** Deeper nesting overflows the JSON reader of Python, which every loader uses. */
const MAX_DEPTH = 200;

/** Python reads no whole number of more than 4,300 digits. */
const MAX_DIGITS = 300;

export interface ArgumentText {
  /** The model's own text, byte for byte but for half surrogates, which no tokenizer takes: these are U+FFFD. */
  text: string;
}

/** Why a call's arguments cannot be written; completes the sentence "the arguments …". */
export interface ArgumentsRefused {
  why: string;
}

/**
 * The arguments of a call as JSON text that every loader reads. Refused is what is not one JSON object, numbers out of range, and
 * nesting that Python's reader does not take.
 */
export function readArguments(text: string): ArgumentText | ArgumentsRefused {
  const refused = notAnObject(text);
  if (refused !== null) return refused;
  if (isPlain(text)) return { text };
  const read = scan(text);
  return 'why' in read ? read : { text: read.text };
}

/** Whether JSON has nothing that `scan` looks for: surrogates in any spelling, long numbers, powers of ten, deep nesting. */
function isPlain(json: string): boolean {
  return (
    !/[\ud800-\udfff]|\\u[dD]|\d{16}|\d[eE]/.test(json) && (json.match(/[[{]/g)?.length ?? 0) <= MAX_DEPTH
  );
}

/**
 * The one place that turns the text of a call's arguments into an object. Beside what `readArguments` refuses, refused is what would
 * not be the same object once it was written again: whole numbers over 2^53, a key that appears twice, keys that JavaScript puts into
 * another order. A number such as 1.0 becomes 1.
 */
export function argumentsAsObject(
  text: string,
): { object: Readonly<Record<string, unknown>> } | ArgumentsRefused {
  const refused = notAnObject(text);
  if (refused !== null) return refused;
  const read = scan(text);
  if ('why' in read) return read;
  if (read.inexact) {
    return { why: 'hold a whole number over 2^53, which an object would not keep exactly' };
  }
  const object = JSON.parse(read.text) as Record<string, unknown>;
  return JSON.stringify(object) === read.compact
    ? { object }
    : { why: 'name a key twice, or order keys in a way that an object does not keep' };
}

function notAnObject(text: string): ArgumentsRefused | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { why: 'are not valid JSON' };
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return { why: 'are not a JSON object' };
  }
  return null;
}

/** `{"name": …, "arguments": …}` with the model's own text of the arguments inside: nothing is parsed and written again. */
export function callText(name: string, { text }: ArgumentText): string {
  return `{"name": ${JSON.stringify(name)}, "arguments": ${text.trim()}}`;
}

interface Scanned {
  text: string;
  /** The same value as JavaScript writes it. */
  compact: string;
  /** A whole number is in it that JavaScript would change. */
  inexact: boolean;
}

/** One pass over a text that is JSON: its nesting, its numbers, and the same value without white space. */
function scan(json: string): Scanned | ArgumentsRefused {
  const found: Scanned = { text: '', compact: '', inexact: false };
  let depth = 0;
  for (let at = 0; at < json.length; ) {
    const char = json[at] ?? '';
    const end = char === '"' ? stringEnd(json, at) : isWord(char) ? wordEnd(json, at) : at + 1;
    const token = json.slice(at, end);
    at = end;
    if (char === '"') {
      const value = JSON.parse(token) as string;
      const whole = wellFormed(value);
      found.text += whole === value ? token : JSON.stringify(whole);
      found.compact += JSON.stringify(whole);
      continue;
    }
    found.text += token;
    if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth > MAX_DEPTH) return { why: `are nested more than ${MAX_DEPTH} levels deep` };
    if (isSpace(char)) continue;
    if (!isNumber(char)) {
      found.compact += token;
      continue;
    }
    const value = Number(token);
    if (!Number.isFinite(value) || token.length > MAX_DIGITS) {
      return { why: 'hold a number that is out of range' };
    }
    if (/^-?\d+$/.test(token) && !Number.isSafeInteger(value)) found.inexact = true;
    found.compact += JSON.stringify(value);
  }
  return found;
}

function stringEnd(json: string, from: number): number {
  let at = from + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

function wordEnd(json: string, from: number): number {
  let at = from;
  while (at < json.length && isWord(json[at] ?? '')) at += 1;
  return at;
}

/** Characters of numbers and of `true`, `false`, `null`. */
const isWord = (char: string) => /^[-+.0-9A-Za-z]$/.test(char);
const isNumber = (char: string) => /^[-0-9]$/.test(char);
const isSpace = (char: string) => char === ' ' || char === '\n' || char === '\r' || char === '\t';

/** Most texts hold no surrogate at all, which the first test sees much faster than the second sees half ones. */
export function hasHalfSurrogate(text: string): boolean {
  return /[\ud800-\udfff]/.test(text) && /\p{Surrogate}/u.test(text);
}

/** Half surrogates become U+FFFD: a tokenizer stops at them. */
export function wellFormed(text: string): string {
  return hasHalfSurrogate(text) ? text.replace(/\p{Surrogate}/gu, '\ufffd') : text;
}
