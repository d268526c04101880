/** A parser of text or bytes that somebody else made, and the shapes that cost it most. */
export interface Parser {
  /** Exported names that are run by it. */
  names: readonly string[];
  /** Characters it takes at most; longer texts are refused or read as plain. Absent: none. */
  most?: number;
  /** Each gives a text of about so many characters. */
  shapes: Readonly<Record<string, (length: number) => string>>;
  /** Goes over the whole of it. Expected refusals are no concern of the caller's. */
  parse(text: string): unknown;
}

/** The same piece again and again. */
export const again =
  (piece: string, before = '', after = '') =>
  (length: number): string =>
    before + piece.repeat(Math.max(1, Math.floor(length / piece.length))) + after;

/** A piece that says which it is, again and again. */
export const counted =
  (piece: (index: number) => string, before = '', after = '', between = '') =>
  (length: number): string => {
    const each = piece(100_000).length + between.length;
    const pieces = Array.from({ length: Math.max(1, Math.floor(length / each)) }, (_, index) => piece(index));
    return before + pieces.join(between) + after;
  };

/** A shape that goes in as deep as it goes out again. */
export const nested =
  (open: string, close: string, inner = '') =>
  (length: number): string => {
    const depth = Math.max(1, Math.floor(length / (open.length + close.length)));
    return open.repeat(depth) + inner + close.repeat(depth);
  };

/** Runs what refuses by throwing; anything else than a refusal is passed on. */
export function refusing<T>(work: () => T): T | null {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof Error && !(thrown instanceof TypeError) && !(thrown instanceof RangeError))
      return null;
    throw thrown;
  }
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
