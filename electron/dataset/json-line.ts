/**
 * A record as one line of JSON, without the line end. Same record, same bytes. A half surrogate (text cut in mid-character) becomes
 * U+FFFD: JSON would write it as an escape, and a tokenizer would stop at it.
 */
export function jsonLine(record: Readonly<Record<string, unknown>>): string {
  const line = JSON.stringify(record);
  return line.includes('\\ud') && HALF.test(line) ? JSON.stringify(record, wellFormed) : line;
}

/** An escape that stands for itself: behind an even number of backslashes. Texts about escapes have an odd one. */
const HALF = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

function wellFormed(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\ufffd') : value;
}
