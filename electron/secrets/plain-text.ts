/** A text with pieces left out, and where each of its characters stood in the whole. */
export interface PlainText {
  text: string;
  /** Where the character at `at` stood; `text.length` gives the end of what is kept. */
  origin(at: number): number;
}

export const whole = (text: string): PlainText => ({ text, origin: (at) => at });

/** ESC or CSI as they are, or as they stand in source text and inside JSON, which may stand inside JSON again. */
const INTRODUCER = /\u001b|\u009b|\\{1,8}(?:u00[19]b|x1b|033|e(?=\[))/giu;
const PARAMETERS = /[0-?]*[ -/]*[@-~]?/y;
const OTHER = /[ -/]*[0-Z^-~\\_]?/y;

/**
 * Without escape sequences, which colour or split what a person reads as one word. Of sequences that carry a text (titles,
 * links) only the introducer goes: their text may hold what is looked for. One pass; null when there are none.
 */
export function withoutEscapes(text: string): PlainText | null {
  return cutOut(text, INTRODUCER, (end, found) => {
    const csi = found === '\u009b' || /\\u009b$/iu.test(found);
    if (!csi && (text[end] === ']' || text[end] === 'P')) return end + 1;
    const rest = csi || text[end] === '[' ? PARAMETERS : OTHER;
    rest.lastIndex = csi || text[end] !== '[' ? end : end + 1;
    rest.test(text);
    return Math.max(end, rest.lastIndex);
  });
}

const BREAK = /[\r\n]|\\{1,8}[rn]/gu;

/** Without ends of lines, as they are or inside JSON, where programs fold what is long; null when there are none. */
export function withoutBreaks(text: string): PlainText | null {
  return cutOut(text, BREAK, (end) => end);
}

/** Leaves out what `pattern` finds, to where `endOf` says. */
function cutOut(
  text: string,
  pattern: RegExp,
  endOf: (end: number, found: string) => number,
): PlainText | null {
  const kept: string[] = [];
  /** Where each kept piece begins, in the new text and in the whole. */
  const starts: number[] = [];
  const origins: number[] = [];
  let from = 0;
  let length = 0;
  const keep = (to: number) => {
    if (to <= from) return;
    kept.push(text.slice(from, to));
    starts.push(length);
    origins.push(from);
    length += to - from;
  };
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    keep(found.index);
    from = endOf(found.index + found[0].length, found[0]);
    pattern.lastIndex = from;
  }
  if (from === 0) return null;
  keep(text.length);
  return {
    text: kept.join(''),
    origin: (at) => {
      let low = 0;
      for (let high = starts.length - 1; low < high; ) {
        const middle = Math.ceil((low + high) / 2);
        if ((starts[middle] ?? 0) <= at) low = middle;
        else high = middle - 1;
      }
      return (origins[low] ?? 0) + at - (starts[low] ?? 0);
    },
  };
}
