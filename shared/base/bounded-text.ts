/** Most characters of one observation: what the model reads of an action, whatever the action was. */
export const observationLimit = 12_000;

/** Most characters of the part of an observation that may be long; lead, state and notices have the rest. */
export const bodyLimit = 11_000;

/** Room for the line in the middle. */
const noteUnits = 220;

const isLow = (text: string, i: number) => (text.charCodeAt(i) & 0xfc00) === 0xdc00;

/**
 * `text` when it has at most `limit` characters (UTF-16 units), else whole lines of about its first 20 % and last 80 %
 * around a line that says how much is left out and how to see it (`rest`, a clause). A line is cut only where one alone is
 * longer than the room there is; surrogate pairs never are.
 */
export function boundText(text: string, rest: string, limit = bodyLimit): string {
  if (text.length <= limit) return text;
  const room = Math.max(2, limit - Math.min(noteUnits, 80 + rest.length));
  const headEnd = endOfHead(text, Math.floor(room * 0.2));
  const tailStart = startOfTail(text, text.length - (room - headEnd));
  const middle = text.slice(headEnd, tailStart);
  const lines = linesIn(middle.replace(/^\n/, '').replace(/\n$/, ''));
  const count = (value: number) => value.toLocaleString('en-US');
  const what = lines === 1 ? 'of one line' : `in ${count(lines)} lines`;
  return `${text.slice(0, headEnd)}\n[… ${count(middle.length)} characters ${what} left out; ${rest} …]\n${text.slice(tailStart)}`;
}

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
