/** A text with pieces left out or written otherwise, and where each of its characters stood in the whole. UTF-16 units. */
export interface PlainText {
  text: string;
  /** Where what became the character at `at` begins. */
  origin(at: number): number;
  /** Where what became the character before `at` ends; at least 1. */
  after(at: number): number;
}

export const whole = (text: string): PlainText => ({ text, origin: (at) => at, after: (at) => at });

/** A view of a view, seen from the whole. */
export function through(inner: PlainText, outer: PlainText | null): PlainText {
  if (outer === null) return inner;
  return {
    text: outer.text,
    origin: (at) => inner.origin(outer.origin(at)),
    after: (at) => inner.after(outer.after(at)),
  };
}

/** Puts a view together from what is kept and what is written otherwise, in order. */
export class PlainTextBuilder {
  readonly #kept: string[] = [];
  /** Of each piece: where it begins in the new text, where in the whole, and how long it was there; -1: character by character. */
  readonly #starts: number[] = [];
  readonly #origins: number[] = [];
  readonly #lengths: number[] = [];
  #length = 0;

  /** `[from, to)` of the whole stays as it is. */
  keep(whole: string, from: number, to: number): void {
    if (to > from) this.#add(whole.slice(from, to), from, -1);
  }

  /** `[from, to)` of the whole means `text`. */
  write(text: string, from: number, to: number): void {
    if (text !== '') this.#add(text, from, to - from);
  }

  end(): PlainText {
    return {
      text: this.#kept.join(''),
      origin: (at) => {
        const piece = this.#pieceAt(at);
        const [origin = 0, start = 0] = [this.#origins[piece], this.#starts[piece]];
        return this.#lengths[piece] === -1 ? origin + at - start : origin;
      },
      after: (at) => {
        const piece = this.#pieceAt(at - 1);
        const [origin = 0, start = 0, length = 0] = [
          this.#origins[piece],
          this.#starts[piece],
          this.#lengths[piece],
        ];
        return length === -1 ? origin + at - start : origin + length;
      },
    };
  }

  #add(text: string, origin: number, length: number): void {
    this.#kept.push(text);
    this.#starts.push(this.#length);
    this.#origins.push(origin);
    this.#lengths.push(length);
    this.#length += text.length;
  }

  #pieceAt(at: number): number {
    let low = 0;
    for (let high = this.#starts.length - 1; low < high; ) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** ESC or CSI as they are, or as they stand in source text and inside JSON, which may stand inside JSON again. */
const INTRODUCER = /\u001b|\u009b|\\{1,8}(?:u00[19]b|x1b|033|e(?=\[))/giu;
const PARAMETERS = /[0-?]*[ -/]*[@-~]?/y;
const OTHER = /[ -/]*[0-Z^-~\\_]?/y;

/**
 * Without escape sequences, which colour or split what a person reads as one word. Of sequences that carry a text (titles,
 * links) only the introducer goes: their text may hold what is looked for. One pass; null when there are none.
 */
export function withoutEscapes(text: string): PlainText | null {
  if (!/[\u001b\u009b\\]/u.test(text)) return null;
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
export function cutOut(
  text: string,
  pattern: RegExp,
  endOf: (end: number, found: string) => number,
): PlainText | null {
  return rewritten(text, pattern, (_, found, at) => endOf(at + found.length, found));
}

/**
 * The text with something else in the place of what `pattern`, which is global, finds: `write` adds it and says where the text
 * continues. Null: nothing is found.
 */
export function rewritten(
  text: string,
  pattern: RegExp,
  write: (builder: PlainTextBuilder, found: string, at: number) => number,
): PlainText | null {
  let builder: PlainTextBuilder | null = null;
  let from = 0;
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    builder ??= new PlainTextBuilder();
    builder.keep(text, from, found.index);
    from = write(builder, found[0], found.index);
    pattern.lastIndex = from;
  }
  if (builder === null) return null;
  builder.keep(text, from, text.length);
  return builder.end();
}
