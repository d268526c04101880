/** Most characters of a text that the model reads in one observation. */
export const observationLimit = 30_000;

const isLow = (text: string, i: number) => (text.charCodeAt(i) & 0xfc00) === 0xdc00;

/**
 * `text` when it has at most `limit` characters (UTF-16 units), else its first 20 % and last 80 % around a line that
 * gives the exact number of characters and line breaks left out. Surrogate pairs are not cut.
 */
export function boundText(text: string, limit = observationLimit): string {
  if (text.length <= limit) return text;
  // Room for the line in the middle.
  const room = Math.max(2, limit - 80);
  let head = Math.floor(room * 0.2);
  if (isLow(text, head)) head -= 1;
  let tail = text.length - (room - Math.floor(room * 0.2));
  if (isLow(text, tail)) tail += 1;
  const middle = text.slice(head, tail);
  let lines = 0;
  for (let i = middle.indexOf('\n'); i >= 0; i = middle.indexOf('\n', i + 1)) lines += 1;
  return `${text.slice(0, head)}\n[… ${middle.length} characters with ${lines} line breaks left out …]\n${text.slice(tail)}`;
}

/** One line of at most `limit` characters; the number of those left out stands at its end. */
export function cutLine(line: string, limit = 2000): string {
  if (line.length <= limit) return line;
  const end = isLow(line, limit) ? limit - 1 : limit;
  return `${line.slice(0, end)} [… ${line.length - end} more characters in this line]`;
}
