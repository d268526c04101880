/** Deeper nesting overflows the JSON reader of Python, which every loader uses. */
const MAX_DEPTH = 200;

export interface CallArguments {
  /** The model's own text, byte for byte but for half surrogates, which no tokenizer takes: these are U+FFFD. */
  text: string;
  /** The object that the text means. */
  object: Readonly<Record<string, unknown>>;
}

/** Why a call's arguments cannot be written; completes the sentence "the arguments …". */
export interface ArgumentsRefused {
  why: string;
}

/**
 * The one place that turns the text of a call's arguments into an object. Refused is what is not one JSON object, and what would
 * not be the same object once it was written again: whole numbers over 2^53, numbers out of range, a key that stands twice, and
 * keys that JavaScript puts into another order. A number such as 1.0 becomes 1.
 */
export function readArguments(text: string): CallArguments | ArgumentsRefused {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { why: 'are not valid JSON' };
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return { why: 'are not a JSON object' };
  }
  const scanned = scan(text);
  if ('why' in scanned) return scanned;
  const object = (scanned.text === text ? parsed : JSON.parse(scanned.text)) as Record<string, unknown>;
  if (JSON.stringify(object) !== scanned.compact) {
    return { why: 'name a key twice or order keys in a way that is lost when they are written as an object' };
  }
  return { text: scanned.text, object };
}

/** `{"name": …, "arguments": …}` with the model's own text of the arguments inside: nothing is parsed and written again. */
export function callText(name: string, { text }: Pick<CallArguments, 'text'>): string {
  return `{"name": ${JSON.stringify(name)}, "arguments": ${text.trim()}}`;
}

/** One pass over a text that is JSON: its nesting, its numbers, and the same value without white space. */
function scan(json: string): { text: string; compact: string } | ArgumentsRefused {
  let text = '';
  let compact = '';
  let depth = 0;
  for (let at = 0; at < json.length; ) {
    const char = json[at] ?? '';
    const end = char === '"' ? stringEnd(json, at) : isPlain(char) ? plainEnd(json, at) : at + 1;
    const token = json.slice(at, end);
    at = end;
    if (char === '"') {
      const value = JSON.parse(token) as string;
      const whole = wellFormed(value);
      text += whole === value ? token : JSON.stringify(whole);
      compact += JSON.stringify(whole);
      continue;
    }
    text += token;
    if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth > MAX_DEPTH) return { why: `are nested more than ${MAX_DEPTH} levels deep` };
    if (isSpace(char)) continue;
    const written = isNumber(char) ? numberText(token) : token;
    if (written === null)
      return { why: `hold the number ${token.slice(0, 40)}, which is too large to keep exactly` };
    compact += written;
  }
  return { text, compact };
}

function stringEnd(json: string, from: number): number {
  let at = from + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

function plainEnd(json: string, from: number): number {
  let at = from;
  while (at < json.length && isPlain(json[at] ?? '')) at += 1;
  return at;
}

/** Characters of numbers and of `true`, `false`, `null`. */
const isPlain = (char: string) => /^[-+.0-9A-Za-z]$/.test(char);
const isNumber = (char: string) => /^[-0-9]$/.test(char);
const isSpace = (char: string) => char === ' ' || char === '\n' || char === '\r' || char === '\t';

/** As JavaScript writes the number again; null when that would be another one. */
function numberText(token: string): string | null {
  const value = Number(token);
  const exact = /^-?\d+$/.test(token) ? Number.isSafeInteger(value) : Number.isFinite(value);
  return exact ? JSON.stringify(value) : null;
}

/** Half surrogates become U+FFFD: a tokenizer stops at them. */
export function wellFormed(text: string): string {
  return /\p{Surrogate}/u.test(text) ? text.replace(/\p{Surrogate}/gu, '\ufffd') : text;
}
