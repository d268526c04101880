import { EscapeParser, type EscapeSink, Utf8Stream } from './escape-parser';

/** Lines a program may still go back to and rewrite; what scrolled further up is final. */
const windowLines = 64;
/** Blank cells a cursor movement may create in one line. */
const maxPadding = 2048;

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

/**
 * Cuts a slice that begins anywhere in a log at its first line break, so that it does not start inside a character,
 * an escape sequence or a half line. A slice without a line break is returned whole.
 */
export function fromLineStart(bytes: Uint8Array): Uint8Array {
  const newline = bytes.indexOf(0x0a);
  return newline < 0 ? bytes : bytes.subarray(newline + 1);
}

class LineScreen implements EscapeSink {
  #lines: string[] = [''];
  /** Lines in which something was overwritten: their trailing blanks are remains, not output. */
  #rewritten = new Set<number>();
  #row = 0;
  /** The first row that may still be gone back to; never moves up. */
  #floor = 0;
  #column = 0;
  #alternate = false;

  /** Lines that are final, each with its newline. */
  take(): string {
    // Cut in large pieces: shifting one line at a time would cost the window's length per line.
    if (this.#floor <= windowLines * 3) return '';
    const count = this.#floor;
    const done = this.#finish(0, count);
    this.#lines.splice(0, count);
    this.#row -= count;
    this.#floor = 0;
    this.#rewritten = new Set([...this.#rewritten].filter((row) => row >= count).map((row) => row - count));
    return `${done}\n`;
  }

  rest(): string {
    return this.#finish(0, this.#lines.length);
  }

  #finish(from: number, to: number): string {
    const lines = this.#lines.slice(from, to);
    for (const row of this.#rewritten) {
      const line = lines[row - from];
      if (line !== undefined) lines[row - from] = line.replace(/ +$/, '');
    }
    return lines.join('\n');
  }

  get #line(): string {
    return this.#lines[this.#row] ?? '';
  }

  set #line(line: string) {
    this.#lines[this.#row] = line;
  }

  text(run: string): void {
    if (this.#alternate) return;
    const line = this.#line;
    if (this.#column === line.length) this.#line = line + run;
    else if (this.#column > line.length) this.#line = line + ' '.repeat(this.#column - line.length) + run;
    else {
      this.#line = head(line, this.#column) + run + tail(line, this.#column + run.length);
      this.#rewritten.add(this.#row);
    }
    this.#column += run.length;
  }

  control(code: number): void {
    if (this.#alternate) return;
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
        this.#edit(head(this.#line, this.#column) + ' '.repeat(count) + tail(this.#line, this.#column));
        break;
      case 'X':
        if (this.#column < this.#line.length) {
          const gap = ' '.repeat(Math.min(count, this.#line.length - this.#column));
          this.#edit(head(this.#line, this.#column) + gap + tail(this.#line, this.#column + gap.length));
        }
        break;
    }
  }

  #edit(line: string): void {
    this.#line = line;
    this.#rewritten.add(this.#row);
  }

  #down(count: number): void {
    for (let i = 0; i < count; i += 1) {
      this.#row += 1;
      if (this.#row === this.#lines.length) this.#lines.push('');
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

/** The part before a column; a surrogate pair that is cut in two becomes a blank. */
function head(line: string, column: number): string {
  const text = line.slice(0, column);
  return /[\ud800-\udbff]$/.test(text) ? `${text.slice(0, -1)} ` : text;
}

/** The part from a column on, likewise. */
function tail(line: string, column: number): string {
  const text = line.slice(column);
  return /^[\udc00-\udfff]/.test(text) ? ` ${text.slice(1)}` : text;
}
