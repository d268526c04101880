const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const END = '-----END ';
/** A key in PEM is shorter, whatever it is. */
const LONGEST = 64 * 1024;
/** What stands before a key's first line is shorter. */
const LONGEST_LINE = 256;
/** Lines of base64, also as they stand inside JSON. */
const BODY = /(?:(?:\\n|\\r|\s)*[A-Za-z0-9+/=]{12,})*/y;

/** Blocks of private keys from BEGIN to END; one whose end was cut off is as long as its lines go on. */
export function privateKeys(text: string): { start: number; end: number }[] {
  const blocks: { start: number; end: number }[] = [];
  let close = 0;
  BEGIN.lastIndex = 0;
  for (let found = BEGIN.exec(text); found !== null; found = BEGIN.exec(text)) {
    const from = found.index + found[0].length;
    // Looked for once: the next one after the block before is the same one, or there is none any more.
    if (close !== -1 && close < from) close = text.indexOf(END, from);
    const end = close !== -1 && close - from <= LONGEST ? afterEnd(text, close) : from + body(text, from);
    BEGIN.lastIndex = end;
    if (holdsKey(text.slice(from, end))) blocks.push({ start: found.index, end });
  }
  return blocks;
}

/** The least of base64 that a key is made of; a program that looks for keys names only their first and last line. */
const LEAST = 32;

function holdsKey(block: string): boolean {
  const lines = block.slice(0, 4 * LONGEST_LINE).match(/[A-Za-z0-9+/=]{8,}/g) ?? [];
  return lines.join('').length >= LEAST;
}

function afterEnd(text: string, close: number): number {
  const dashes = text.slice(close + END.length, close + END.length + 64).indexOf('-----');
  return dashes === -1 ? close + END.length : close + END.length + dashes + 5;
}

function body(text: string, from: number): number {
  BODY.lastIndex = 0;
  BODY.test(text.slice(from, from + LONGEST));
  return BODY.lastIndex;
}
