import { EscapeParser, Utf8Stream } from './escape-parser';
import { LineScreen, type ModelLine } from './line-screen';

/**
 * Session bytes as the model reads them: UTF-8 text without escape sequences and markers, as `LineScreen` has it.
 * Text is returned once it can no longer change; chunk boundaries do not change the whole.
 */
export class ModelText {
  private readonly utf8 = new Utf8Stream();
  private readonly screen = new LineScreen();
  private readonly parser = new EscapeParser(this.screen);

  push(bytes: Uint8Array): string {
    this.parser.push(this.utf8.push(bytes));
    return this.screen.take();
  }

  /** The rest. The object is used up. */
  end(): string {
    this.parser.push(this.utf8.end());
    return this.screen.rest();
  }
}

/** `ModelText` for bytes that are all there. */
export function modelText(bytes: Uint8Array): string {
  const text = new ModelText();
  return text.push(bytes) + text.end();
}

/**
 * `ModelText` line by line, each with its place in the raw log. A line that a program began by moving the cursor counts from
 * the end of the raw line in which it did so.
 */
export class ModelLines {
  private readonly utf8 = new Utf8Stream();
  private readonly screen: LineScreen;
  private readonly parser: EscapeParser;
  private offset: number;

  /** `offset`: of the first byte that will be pushed. */
  constructor(offset = 0) {
    this.offset = offset;
    this.screen = new LineScreen(offset);
    this.parser = new EscapeParser(this.screen);
  }

  /** Lines that can no longer change. */
  push(bytes: Uint8Array): ModelLine[] {
    const text = this.utf8.push(bytes);
    // Byte 0x0a is a line feed wherever it stands in UTF-8, valid or not: the n-th one is the text's n-th.
    let byte = 0;
    for (let from = 0; from < text.length; ) {
      const feed = text.indexOf('\n', from);
      const to = feed < 0 ? text.length : feed + 1;
      byte = feed < 0 ? bytes.length : bytes.indexOf(0x0a, byte) + 1;
      this.screen.at = this.offset + byte;
      this.parser.push(text.slice(from, to));
      from = to;
    }
    this.offset += bytes.length;
    return this.screen.takeLines();
  }

  /** The rest. The object is used up. */
  end(): ModelLine[] {
    this.screen.at = this.offset;
    this.parser.push(this.utf8.end());
    return this.screen.restLines();
  }
}

/**
 * Cuts a slice that begins anywhere in a log at its first line break, so that it does not start inside a character,
 * an escape sequence or a half line. A slice without a line break is returned whole.
 */
export function fromLineStart(bytes: Uint8Array): Uint8Array {
  const newline = bytes.indexOf(0x0a);
  return newline < 0 ? bytes : bytes.subarray(newline + 1);
}
