/** Levels of a document: a tree of steps has two for each of them. */
const mostLevels = 1_000_000;
/** Bytes of one text. */
const longestText = 16 * 1024 * 1024;

export interface JsonShape {
  /** Objects, arrays and what stands in them, about. */
  values: number;
  /** Why the document is not read; null: nothing speaks against it yet. */
  problem: string | null;
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Looks over the bytes of a JSON document before anything is made of them: how many values a parser would have to keep, how
 * deep they lie, how long one text is, and whether it ends. In one pass and without memory of its own.
 */
export function jsonShape(bytes: Uint8Array, mostValues: number): JsonShape {
  let values = 1;
  let depth = 0;
  let opened = -1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (opened >= 0) {
      if (byte === backslash) at += 1;
      else if (byte === quote) {
        if (at - opened > longestText) return { values, problem: 'one text in it is longer than 16 MB' };
        opened = -1;
      }
    } else if (byte === quote) opened = at;
    else if (byte === comma) values += 1;
    else if (byte === openArray || byte === openObject) {
      values += 1;
      depth += 1;
      if (depth > mostLevels) return { values, problem: `it nests deeper than ${mostLevels} levels` };
    } else if (byte === closeArray || byte === closeObject) depth -= 1;
    if (values > mostValues) return { values, problem: `it holds more than ${mostValues} values` };
  }
  if (opened >= 0 || depth > 0) return { values, problem: 'it is not JSON: it ends in the middle' };
  return { values, problem: null };
}
