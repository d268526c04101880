/** Most characters of one observation: what the model reads of an action, whatever the action was. */
export const observationLimit = 12_000;

/** Most characters of the part of an observation that may be long; lead, state and notices have the rest. */
export const bodyLimit = 11_000;

/** Most characters of a path or another name that a message quotes. */
const quotedLimit = 200;

/** Most characters of one sentence that is said to the agent beside the result of its call. */
export const sentenceLimit = 500;

/** Room for the line in the middle. */
const noteUnits = 220;

/** What stands where a text was cut: the line in the middle of `boundText`, the end of `cutLine`. */
const cutNote =
  /\n\[… (about )?([\d,]{1,20}) characters(?: of one line| in ([\d,]{1,20}) lines|) left out; ([^\n]{0,300}?) …\](?=\n)| \[… (\d{1,16}) more characters in this line\]/g;

const isLow = (text: string, i: number) => (text.charCodeAt(i) & 0xfc00) === 0xdc00;

/**
 * `text` when it has at most `limit` characters (UTF-16 units), else whole lines of about its first 20 % and last 80 %
 * around a line that says how much is left out and how to see it (`rest`, a clause). A line is cut only where one alone is
 * longer than the room there is; surrogate pairs never are. Where what is left out was cut before, the line counts what was
 * missing then too, and says how to see it as that cut did.
 */
export function boundText(text: string, rest: string, limit = bodyLimit): string {
  if (text.length <= limit) return text;
  const room = Math.max(2, limit - Math.min(noteUnits, 80 + rest.length));
  const headEnd = endOfHead(text, Math.floor(room * 0.2));
  const tailStart = startOfTail(text, text.length - (room - headEnd));
  const middle = text.slice(headEnd, tailStart);
  return `${text.slice(0, headEnd)}\n${noteOf(middle, rest)}\n${text.slice(tailStart)}`;
}

/** The line that stands for text nobody has counted: `characters` is an estimate. */
export const leftOutAbout = (characters: number, rest: string) =>
  `[… about ${count(characters)} characters left out; ${rest} …]`;

const count = (value: number) => Math.round(value).toLocaleString('en-US');

function noteOf(middle: string, rest: string): string {
  let characters = middle.length;
  let lines = linesIn(middle.replace(/^\n/, '').replace(/\n$/, ''));
  let exact = true;
  let how: string | null = null;
  for (const [note, about, left, inLines, otherwise, ofLine] of middle.matchAll(cutNote)) {
    characters += numberOf(left ?? ofLine) - note.length;
    if (left === undefined) continue;
    // The line break behind it.
    characters -= 1;
    exact &&= about === undefined;
    // It is a line itself.
    lines += numberOf(inLines ?? '1') - 1;
    how = how === null || about !== undefined ? (otherwise ?? null) : how;
  }
  if (!exact) return leftOutAbout(characters, how ?? rest);
  const what = lines <= 1 ? 'of one line' : `in ${count(lines)} lines`;
  return `[… ${count(characters)} characters ${what} left out; ${how ?? rest} …]`;
}

const numberOf = (digits = '') => Number(digits.replaceAll(',', ''));

function linesIn(text: string): number {
  let lines = 1;
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) lines += 1;
  return lines;
}

/** The end of the last whole line before `at`, or `at` where the first line is longer than that. */
function endOfHead(text: string, at: number): number {
  const line = text.lastIndexOf('\n', at);
  if (line > 0) return line;
  return isLow(text, at) ? at - 1 : at;
}

/** The start of the first whole line from `at` on, or `at` where the last line is longer than that. */
function startOfTail(text: string, at: number): number {
  const line = text.indexOf('\n', at - 1);
  if (line >= 0 && line < text.length - 1) return line + 1;
  return isLow(text, at) ? at + 1 : at;
}

/** One line of at most `limit` characters; the number of those left out stands at its end. */
export function cutLine(line: string, limit = 2000): string {
  if (line.length <= limit) return line;
  const end = isLow(line, limit) ? limit - 1 : limit;
  return `${line.slice(0, end)} [… ${line.length - end} more characters in this line]`;
}

/** A path, or another name, as a message quotes it: where it is longer than `limit`, its start and its end. */
export function quotable(name: string, limit = quotedLimit): string {
  if (name.length <= limit) return name;
  const room = limit - 1;
  const head = Math.floor(room / 2);
  const tail = name.length - (room - head);
  return `${name.slice(0, isLow(name, head) ? head - 1 : head)}…${name.slice(isLow(name, tail) ? tail + 1 : tail)}`;
}

/** The first `most` of `items`; the last of them says how many there are besides. */
export function fewOf(items: readonly string[], most = 3): string[] {
  const more = items.length - most;
  if (more <= 0) return items.slice();
  const shown = items.slice(0, most);
  return [...shown.slice(0, -1), `${shown.at(-1)} (and ${count(more)} more)`];
}
