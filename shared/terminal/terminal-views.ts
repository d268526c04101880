/** A piece of a terminal's output as the screen may have it. Offsets count raw bytes. */
export interface TerminalPage {
  offset: number;
  /** Where the next page begins; equal to `offset` at the end of the log. */
  endOffset: number;
  bytes: Uint8Array;
}

/** A line that a search across sessions found. */
export interface SessionHit {
  uid: string;
  computer: string;
  session: string;
  /** Raw offset of the line's first byte. */
  offset: number;
  /** Raw offset after the line: a terminal can be shown as it was there. */
  endOffset: number;
  /** The line as plain text, cut around the hit; the hit between U+0001 and U+0002. */
  line: string;
}
