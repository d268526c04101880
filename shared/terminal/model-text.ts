import { EscapeParser, type EscapeSink, Utf8Stream } from './escape-parser';

/** Lines a program may still go back to and rewrite; what scrolled further up is final. */
const windowLines = 64;
/** Blank cells a cursor movement may create in one line. */
const maxPadding = 2048;
/** Blank cells that all such movements may create: so many, and so many more for each character that came. */
const paddingAtOnce = 65_536;
const paddingPerCharacter = 16;
/**
 * A change in the middle of a line costs the line's length, and a program may send a million of them: so many characters may be
 * gone over, and so many more for each that came. That is hundreds of times what progress bars need; what goes beyond it is
 * told on a fresh line instead.
 */
const editAtOnce = 4_000_000;
const editPerCharacter = 500;

/**
 * Session bytes as the model reads them: UTF-8 text without escape sequences and markers, with the final state of
 * lines that were rewritten (`\r` progress bars, backspaces, several bars moved through with cursor-up).
 * Full-screen output (alternate screen) is replaced by one line that says so; a jump to an absolute position
 * starts a new line, so nothing that was shown is lost.
 * Text is returned once it can no longer change; chunk boundaries do not change the whole.
 */
export class ModelText {
  readonly #utf8 = new Utf8Stream();
  readonly #screen = new LineScreen();
  readonly #parser = new EscapeParser(this.#screen);

  push(bytes: Uint8Array): string {
    this.#parser.push(this.#utf8.push(bytes));
    return this.#screen.take();
  }

  /** The rest. The object is used up. */
  end(): string {
    this.#parser.push(this.#utf8.end());
    return this.#screen.rest();
  }
}

/** `ModelText` for bytes that are all there. */
export function modelText(bytes: Uint8Array): string {
  const text = new ModelText();
  return text.push(bytes) + text.end();
}

/** A line of a session's text and the raw bytes it comes from. */
export interface ModelLine {
  text: string;
  /** Raw offset at which the line began. */
  offset: number;
  /** Raw offset after the last byte that changed it. */
  endOffset: number;
}

/**
 * `ModelText` line by line, each with its place in the raw log. A line that a program began by moving the cursor counts from
 * the end of the raw line in which it did so.
 */
export class ModelLines {
  readonly #utf8 = new Utf8Stream();
  readonly #screen: LineScreen;
  readonly #parser: EscapeParser;
  #offset: number;

  /** `offset`: of the first byte that will be pushed. */
  constructor(offset = 0) {
    this.#offset = offset;
    this.#screen = new LineScreen(offset);
    this.#parser = new EscapeParser(this.#screen);
  }

  /** Lines that can no longer change. */
  push(bytes: Uint8Array): ModelLine[] {
    const text = this.#utf8.push(bytes);
    // Byte 0x0a is a line feed wherever it stands in UTF-8, valid or not: the n-th one is the text's n-th.
    let byte = 0;
    for (let from = 0; from < text.length; ) {
      const feed = text.indexOf('\n', from);
      const to = feed < 0 ? text.length : feed + 1;
      byte = feed < 0 ? bytes.length : bytes.indexOf(0x0a, byte) + 1;
      this.#screen.at = this.#offset + byte;
      this.#parser.push(text.slice(from, to));
      from = to;
    }
    this.#offset += bytes.length;
    return this.#screen.takeLines();
  }

  /** The rest. The object is used up. */
  end(): ModelLine[] {
    this.#screen.at = this.#offset;
    this.#parser.push(this.#utf8.end());
    return this.#screen.restLines();
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

class LineScreen implements EscapeSink {
  /** Raw offset after what is being pushed; for `ModelLines`. */
  at: number;
  #lines: string[] = [''];
  /** Beside `#lines`: raw offsets at which each began and was last changed. */
  #starts: number[];
  #ends: number[];
  /** Lines in which something was overwritten: their trailing blanks are remains, not output. */
  #rewritten = new Set<number>();
  #row = 0;
  /** The first row that may still be gone back to; never moves up. */
  #floor = 0;
  #column = 0;
  #alternate = false;
  /** Characters of lines that changes in their middle may still go over. */
  #allowed = editAtOnce;
  #padding = paddingAtOnce;

  constructor(at = 0) {
    this.at = at;
    this.#starts = [at];
    this.#ends = [at];
  }

  /** Lines that are final, each with its newline. */
  take(): string {
    return this.#takeWith((count) => `${this.#finish(count).join('\n')}\n`) ?? '';
  }

  rest(): string {
    return this.#finish(this.#lines.length).join('\n');
  }

  takeLines(): ModelLine[] {
    return this.#takeWith((count) => this.#placed(count)) ?? [];
  }

  restLines(): ModelLine[] {
    return this.#placed(this.#lines.length);
  }

  /** Takes the final lines away, once there are enough of them: one at a time would cost the window's length per line. */
  #takeWith<T>(finish: (count: number) => T): T | undefined {
    if (this.#floor <= windowLines * 3) return undefined;
    const count = this.#floor;
    const done = finish(count);
    this.#lines.splice(0, count);
    this.#starts.splice(0, count);
    this.#ends.splice(0, count);
    this.#row -= count;
    this.#floor = 0;
    this.#rewritten = new Set([...this.#rewritten].filter((row) => row >= count).map((row) => row - count));
    return done;
  }

  #placed(count: number): ModelLine[] {
    return this.#finish(count).map((text, row) => ({
      text,
      offset: this.#starts[row] ?? 0,
      endOffset: this.#ends[row] ?? 0,
    }));
  }

  /** The first `count` lines as they are told. */
  #finish(count: number): string[] {
    const lines = this.#lines.slice(0, count);
    for (const row of this.#rewritten) {
      const line = lines[row];
      if (line !== undefined) lines[row] = withoutTrailingBlanks(line);
    }
    return lines;
  }

  get #line(): string {
    return this.#lines[this.#row] ?? '';
  }

  set #line(line: string) {
    this.#lines[this.#row] = line;
    this.#ends[this.#row] = this.at;
  }

  text(run: string): void {
    if (this.#alternate) return;
    this.#came(run.length);
    const overwrites = this.#column < this.#line.length;
    if (overwrites) this.#count();
    const line = this.#line;
    if (this.#column === line.length) this.#line = line + run;
    else if (this.#column > line.length) {
      const padded = line + this.#blanks(this.#column - line.length);
      this.#column = padded.length;
      this.#line = padded + run;
    } else {
      this.#line = head(line, this.#column) + run + tail(line, this.#column + run.length);
      this.#rewritten.add(this.#row);
    }
    this.#column += run.length;
  }

  control(code: number): void {
    if (this.#alternate) return;
    this.#came(1);
    if (code === 0x0a || code === 0x0b || code === 0x0c) this.#down(1);
    else if (code === 0x0d) this.#column = 0;
    else if (code === 0x08) this.#column = Math.max(0, this.#column - 1);
    else if (code === 0x09) this.text('\t');
  }

  escape(intermediates: string, final: string): void {
    if (this.#alternate || intermediates !== '') return;
    if (final === 'E') {
      this.#column = 0;
      this.#down(1);
    } else if (final === 'D') this.#down(1);
    else if (final === 'M') this.#up(1);
    else if (final === 'c') this.#freshLine();
  }

  osc(): void {
    // Titles, links and our own markers are not text.
  }

  csi(prefix: string, params: string, intermediates: string, final: string): void {
    if (prefix === '?' && (final === 'h' || final === 'l')) {
      if (/(^|;)(1049|1047|47)(;|$)/.test(params)) this.#alternateScreen(final === 'h');
      return;
    }
    if (this.#alternate || prefix !== '' || intermediates !== '') return;
    this.#came(1);
    if ('P@XJK'.includes(final)) this.#count();
    const first = Number.parseInt(params, 10);
    const count = Number.isNaN(first) || first === 0 ? 1 : Math.min(first, maxPadding);
    switch (final) {
      case 'A':
      case 'F':
        this.#up(count);
        if (final === 'F') this.#column = 0;
        break;
      case 'B':
      case 'E':
        this.#down(Math.min(count, this.#lines.length - 1 - this.#row + 1));
        if (final === 'E') this.#column = 0;
        break;
      case 'C':
        this.#column = Math.min(this.#column + count, this.#line.length + maxPadding);
        break;
      case 'D':
        this.#column = Math.max(0, this.#column - count);
        break;
      case 'G':
      case '`':
        this.#column = Math.min(count - 1, this.#line.length + maxPadding);
        break;
      case 'H':
      case 'f':
        this.#freshLine();
        break;
      case 'J':
        this.#eraseDisplay(Number.isNaN(first) ? 0 : first);
        break;
      case 'K':
        this.#eraseLine(Number.isNaN(first) ? 0 : first);
        break;
      case 'P':
        this.#edit(head(this.#line, this.#column) + tail(this.#line, this.#column + count));
        break;
      case '@':
        this.#edit(head(this.#line, this.#column) + this.#blanks(count) + tail(this.#line, this.#column));
        break;
      case 'X':
        if (this.#column < this.#line.length) {
          const gap = ' '.repeat(Math.min(count, this.#line.length - this.#column));
          this.#edit(head(this.#line, this.#column) + gap + tail(this.#line, this.#column + gap.length));
        }
        break;
    }
  }

  #came(characters: number): void {
    this.#allowed += characters * editPerCharacter;
    this.#padding += characters * paddingPerCharacter;
  }

  #blanks(count: number): string {
    const given = Math.min(count, this.#padding);
    this.#padding -= given;
    return ' '.repeat(given);
  }

  /** Counts a change in the middle of the line, which costs its length; beyond what is allowed it happens on a fresh line. */
  #count(): void {
    this.#allowed -= this.#line.length;
    if (this.#allowed < 0) {
      this.#allowed = 0;
      this.#freshLine();
    }
  }

  #edit(line: string): void {
    this.#line = line;
    this.#rewritten.add(this.#row);
  }

  #down(count: number): void {
    for (let i = 0; i < count; i += 1) {
      this.#row += 1;
      if (this.#row === this.#lines.length) {
        this.#lines.push('');
        this.#starts.push(this.at);
        this.#ends.push(this.at);
      }
      this.#floor = Math.max(this.#floor, this.#lines.length - windowLines);
    }
    // A newline moves to column 0: terminals in their usual mode send "\r\n", raw ones are no worse for it.
    this.#column = 0;
  }

  #up(count: number): void {
    this.#row = Math.max(this.#floor, this.#row - count);
  }

  #freshLine(): void {
    this.#row = this.#lines.length - 1;
    if (this.#line !== '') this.#down(1);
    this.#column = 0;
  }

  #eraseDisplay(mode: number): void {
    if (mode === 0) {
      this.#edit(head(this.#line, this.#column));
      this.#lines.length = this.#row + 1;
      this.#starts.length = this.#lines.length;
      this.#ends.length = this.#lines.length;
    } else if (mode === 2 || mode === 3) this.#freshLine();
  }

  #eraseLine(mode: number): void {
    if (mode === 0) this.#edit(head(this.#line, this.#column));
    else if (mode === 1)
      this.#edit(' '.repeat(Math.min(this.#column, this.#line.length)) + tail(this.#line, this.#column));
    else if (mode === 2) this.#edit('');
  }

  #alternateScreen(on: boolean): void {
    if (on === this.#alternate) return;
    if (on) {
      this.#freshLine();
      this.text('[full-screen program: its screen is not part of this text]');
    }
    this.#alternate = on;
    if (!on) this.#freshLine();
  }
}

/** A pattern that is anchored at the end would try every run of blanks from each of its places. */
function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end -= 1;
  return line.slice(0, end);
}

/** The part before a column; a surrogate pair that is cut in two becomes a blank. */
function head(line: string, column: number): string {
  const end = Math.min(column, line.length);
  const last = line.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? `${line.slice(0, end - 1)} ` : line.slice(0, end);
}

/** The part from a column on, likewise. */
function tail(line: string, column: number): string {
  const first = line.charCodeAt(column);
  return first >= 0xdc00 && first <= 0xdfff ? ` ${line.slice(column + 1)}` : line.slice(column);
}
