/** Levels of a document: a tree of steps has two for each of them. Parsing more takes more than its share of time. */
const mostLevels = 100_000;
/** Bytes of one text. */
const longestText = 16 * 1024 * 1024;
const tooLongText = 'one text in it is longer than 16 MB';

export interface JsonShape {
  /** Objects, arrays and what stands in them, about. */
  values: number;
  /** Why the document is not read; null: nothing speaks against it yet. */
  problem: string | null;
}

/** Bytes of one number or word, and of blanks in one place: no program writes more. */
const longestWord = 1024;
const longestBlank = 1024 * 1024;

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const space = 0x20;

/**
 * Looks over the bytes of a JSON document before anything is made of them: how many values a parser would have to keep, how
 * deep they lie, how long one text is, and whether it ends. In one pass, without memory of its own, and piece by piece where a
 * document is too large to be held for nothing.
 */
export class JsonShapes {
  private values = 1;
  private depth = 0;
  /** Where the text began that is open, and where the last character that was neither blank nor part of a word stood; bytes. */
  private opened = -1;
  private word = 0;
  private blank = 0;
  private escaped = false;
  private at = 0;

  constructor(private readonly mostValues: number) {}

  /** Why the document is not read; null: nothing speaks against it yet. */
  take(bytes: Uint8Array): string | null {
    // Nothing but these two means anything within a text, and the system finds them many times faster than a loop does. Each is
    // looked for only from the last one on: a text of nothing but escapes costs no more than its length.
    let [nextQuote, nextBackslash] = [-1, -1];
    for (let index = 0; index < bytes.length; index += 1) {
      if (this.opened >= 0 && !this.escaped) {
        if (nextBackslash < index) nextBackslash = placeOf(backslash, bytes, index);
        if (nextQuote < index) nextQuote = placeOf(quote, bytes, index);
        const next = Math.min(nextQuote, nextBackslash);
        this.at += next - index;
        if (next > index && this.at - 1 - this.opened > longestText) return tooLongText;
        index = next;
      }
      const byte = bytes[index];
      if (byte === undefined) return null;
      const problem = this.step(byte);
      if (problem !== null) return problem;
      this.at += 1;
    }
    return null;
  }

  end(): JsonShape {
    const ends = this.opened < 0 && this.depth <= 0;
    return { values: this.values, problem: ends ? null : 'it is not JSON: it ends in the middle' };
  }

  get seen(): number {
    return this.values;
  }

  private step(byte: number): string | null {
    if (this.opened >= 0) {
      if (this.escaped) this.escaped = false;
      else if (byte === backslash) this.escaped = true;
      else if (byte === quote) this.opened = -1;
      else if (this.at - this.opened > longestText) return tooLongText;
      return null;
    }
    if (byte <= space) {
      this.word = 0;
      this.blank += 1;
      return this.blank > longestBlank ? 'it holds more than 1 MB of blanks in one place' : null;
    }
    this.blank = 0;
    if (byte === quote) {
      this.opened = this.at;
      this.word = 0;
    } else if (byte === comma) {
      this.values += 1;
      this.word = 0;
    } else if (byte === openArray || byte === openObject) {
      this.values += 1;
      this.depth += 1;
      this.word = 0;
      if (this.depth > mostLevels) return `it nests deeper than ${mostLevels} levels`;
    } else if (byte === closeArray || byte === closeObject) {
      this.depth -= 1;
      this.word = 0;
    } else if (byte === colon) {
      this.word = 0;
    } else {
      this.word += 1;
      if (this.word > longestWord)
        return 'it is not JSON: a number or word in it is longer than 1,024 characters';
    }
    return this.values > this.mostValues ? `it holds more than ${this.mostValues} values` : null;
  }
}

/** Where the byte stands next; the end where it does not. */
function placeOf(byte: number, bytes: Uint8Array, from: number): number {
  const found = bytes.indexOf(byte, from);
  return found < 0 ? bytes.length : found;
}

/** `JsonShapes` for a document that is there whole. */
export function jsonShape(bytes: Uint8Array, mostValues: number): JsonShape {
  const shapes = new JsonShapes(mostValues);
  const problem = shapes.take(bytes);
  return problem === null ? shapes.end() : { values: shapes.seen, problem };
}
