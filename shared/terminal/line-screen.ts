import type { EscapeSink } from './escape-parser';

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

/** A line of a session's text and the raw bytes it comes from. */
export interface ModelLine {
  text: string;
  /** Raw offset at which the line began. */
  offset: number;
  /** Raw offset after the last byte that changed it. */
  endOffset: number;
}

/** What characters are written with: one UTF-16 unit for each way they can look, below the surrogates. */
export interface Ink {
  /** Of what is written now. */
  readonly now: string;
  /** Of cells that nothing was written to. */
  readonly blank: string;
  /** `CSI params m` came. */
  change(params: string): void;
  reset(): void;
}

/** A line of coloured text: `inks` has a unit for each of `text`. */
export interface InkedLine {
  text: string;
  inks: string;
}

/**
 * Output as lines that a program may rewrite: the final state of progress bars (`\r`), backspaces, erasures and several bars moved
 * through with cursor-up. A full-screen program's screen is replaced by one line that says so; a jump to an absolute position
 * starts a new line, so nothing that was shown is lost. Takes time and memory linear in what it is given.
 */
export class LineScreen implements EscapeSink {
  /** Raw offset after what is being pushed; for lines with their places. */
  at: number;
  private lines: string[] = [''];
  /** Beside `#lines` where colours matter: the inks of each. */
  private readonly inks: string[] | null;
  private readonly ink: Ink | null;
  /** Beside `#lines`: raw offsets at which each began and was last changed. */
  private starts: number[];
  private ends: number[];
  /** Lines in which something was overwritten: their trailing blanks are remains, not output. */
  private rewritten = new Set<number>();
  private row = 0;
  /** The first row that may still be gone back to; never moves up. */
  private floor = 0;
  private column = 0;
  private alternate = false;
  /** Characters of lines that changes in their middle may still go over. */
  private allowed = editAtOnce;
  private padding = paddingAtOnce;

  /** `at`: raw offset at which it begins. */
  constructor(at = 0, ink: Ink | null = null) {
    this.at = at;
    this.starts = [at];
    this.ends = [at];
    this.ink = ink;
    this.inks = ink === null ? null : [''];
  }

  /** Lines that are final, each with its newline. */
  take(): string {
    return this.takeWith((count) => `${this.finish(count).join('\n')}\n`) ?? '';
  }

  rest(): string {
    return this.finish(this.lines.length).join('\n');
  }

  takeLines(): ModelLine[] {
    return this.takeWith((count) => this.placed(count)) ?? [];
  }

  restLines(): ModelLine[] {
    return this.placed(this.lines.length);
  }

  /** All lines with their inks, where none was taken before. */
  inkedLines(): InkedLine[] {
    return this.finish(this.lines.length).map((text, row) => ({
      text,
      inks: (this.inks?.[row] ?? '').slice(0, text.length),
    }));
  }

  /** Takes the final lines away, once there are enough of them: one at a time would cost the window's length per line. */
  private takeWith<T>(finish: (count: number) => T): T | undefined {
    if (this.floor <= windowLines * 3) return undefined;
    const count = this.floor;
    const done = finish(count);
    this.lines.splice(0, count);
    this.inks?.splice(0, count);
    this.starts.splice(0, count);
    this.ends.splice(0, count);
    this.row -= count;
    this.floor = 0;
    this.rewritten = new Set([...this.rewritten].filter((row) => row >= count).map((row) => row - count));
    return done;
  }

  private placed(count: number): ModelLine[] {
    return this.finish(count).map((text, row) => ({
      text,
      offset: this.starts[row] ?? 0,
      endOffset: this.ends[row] ?? 0,
    }));
  }

  /** The first `count` lines as they are told. */
  private finish(count: number): string[] {
    const lines = this.lines.slice(0, count);
    for (const row of this.rewritten) {
      const line = lines[row];
      if (line !== undefined) lines[row] = withoutTrailingBlanks(line);
    }
    return lines;
  }

  private get line(): string {
    return this.lines[this.row] ?? '';
  }

  private set line(line: string) {
    this.lines[this.row] = line;
    this.ends[this.row] = this.at;
  }

  text(run: string): void {
    if (this.alternate) return;
    this.came(run.length);
    if (this.column < this.line.length) this.count();
    const line = this.line;
    const column = this.column;
    if (column === line.length) {
      this.line = line + run;
      if (this.inks !== null) this.inks[this.row] += this.written(run);
      this.column += run.length;
    } else if (column > line.length) {
      const blanks = this.blanks(column - line.length);
      this.change((old, written, blank) => old + blank(blanks) + written(run));
      this.column = this.line.length;
    } else {
      this.edit((old, written) => head(old, column) + written(run) + tail(old, column + run.length));
      this.column += run.length;
    }
  }

  control(code: number): void {
    if (this.alternate) return;
    this.came(1);
    if (code === 0x0a || code === 0x0b || code === 0x0c) this.down(1);
    else if (code === 0x0d) this.column = 0;
    else if (code === 0x08) this.column = Math.max(0, this.column - 1);
    else if (code === 0x09) this.text('\t');
  }

  escape(intermediates: string, final: string): void {
    if (this.alternate || intermediates !== '') return;
    if (final === 'E') {
      this.column = 0;
      this.down(1);
    } else if (final === 'D') this.down(1);
    else if (final === 'M') this.up(1);
    else if (final === 'c') {
      this.ink?.reset();
      this.freshLine();
    }
  }

  osc(): void {
    // Titles, links and our own markers are not text.
  }

  csi(prefix: string, params: string, intermediates: string, final: string): void {
    if (prefix === '?' && (final === 'h' || final === 'l')) {
      if (/(^|;)(1049|1047|47)(;|$)/.test(params)) this.alternateScreen(final === 'h');
      return;
    }
    if (this.alternate || prefix !== '' || intermediates !== '') return;
    this.came(1);
    if ('P@XJK'.includes(final)) this.count();
    const column = this.column;
    const first = Number.parseInt(params, 10);
    const count = Number.isNaN(first) || first === 0 ? 1 : Math.min(first, maxPadding);
    switch (final) {
      case 'A':
      case 'F':
        this.up(count);
        if (final === 'F') this.column = 0;
        break;
      case 'B':
      case 'E':
        this.down(Math.min(count, this.lines.length - 1 - this.row + 1));
        if (final === 'E') this.column = 0;
        break;
      case 'C':
        this.column = Math.min(this.column + count, this.line.length + maxPadding);
        break;
      case 'D':
        this.column = Math.max(0, this.column - count);
        break;
      case 'G':
      case '`':
        this.column = Math.min(count - 1, this.line.length + maxPadding);
        break;
      case 'H':
      case 'f':
        this.freshLine();
        break;
      case 'J':
        this.eraseDisplay(Number.isNaN(first) ? 0 : first);
        break;
      case 'K':
        this.eraseLine(Number.isNaN(first) ? 0 : first);
        break;
      case 'P':
        this.edit((old) => head(old, column) + tail(old, column + count));
        break;
      case '@': {
        const blanks = this.blanks(count);
        this.edit((old, _, blank) => head(old, column) + blank(blanks) + tail(old, column));
        break;
      }
      case 'X':
        if (column < this.line.length) {
          const gap = Math.min(count, this.line.length - column);
          this.edit((old, _, blank) => head(old, column) + blank(gap) + tail(old, column + gap));
        }
        break;
      case 'm':
        this.ink?.change(params);
        break;
    }
  }

  private came(characters: number): void {
    this.allowed += characters * editPerCharacter;
    this.padding += characters * paddingPerCharacter;
  }

  /** How many of so many blanks may still be made. */
  private blanks(count: number): number {
    const given = Math.min(count, this.padding);
    this.padding -= given;
    return given;
  }

  /** Counts a change in the middle of the line, which costs its length; beyond what is allowed it happens on a fresh line. */
  private count(): void {
    this.allowed -= this.line.length;
    if (this.allowed < 0) {
      this.allowed = 0;
      this.freshLine();
    }
  }

  private edit(change: Change): void {
    this.change(change);
    this.rewritten.add(this.row);
  }

  /** The same happens to a line and to its inks. */
  private change(change: Change): void {
    this.line = change(this.line, same, spaces);
    if (this.inks === null || this.ink === null) return;
    const { blank } = this.ink;
    this.inks[this.row] = change(
      this.inks[this.row] ?? '',
      (run) => this.written(run),
      (count) => blank.repeat(count),
    );
  }

  private written(run: string): string {
    return (this.ink?.now ?? '').repeat(run.length);
  }

  private down(count: number): void {
    for (let i = 0; i < count; i += 1) {
      this.row += 1;
      if (this.row === this.lines.length) {
        this.lines.push('');
        this.inks?.push('');
        this.starts.push(this.at);
        this.ends.push(this.at);
      }
      this.floor = Math.max(this.floor, this.lines.length - windowLines);
    }
    // A newline moves to column 0: terminals in their usual mode send "\r\n", raw ones are no worse for it.
    this.column = 0;
  }

  private up(count: number): void {
    this.row = Math.max(this.floor, this.row - count);
  }

  private freshLine(): void {
    this.row = this.lines.length - 1;
    if (this.line !== '') this.down(1);
    this.column = 0;
  }

  private eraseDisplay(mode: number): void {
    const column = this.column;
    if (mode === 0) {
      this.edit((old) => head(old, column));
      this.lines.length = this.row + 1;
      this.starts.length = this.lines.length;
      this.ends.length = this.lines.length;
      if (this.inks !== null) this.inks.length = this.lines.length;
    } else if (mode === 2 || mode === 3) this.freshLine();
  }

  private eraseLine(mode: number): void {
    const column = this.column;
    if (mode === 0) this.edit((old) => head(old, column));
    else if (mode === 1)
      this.edit((old, _, blank) => blank(Math.min(column, old.length)) + tail(old, column));
    else if (mode === 2) this.edit(() => '');
  }

  private alternateScreen(on: boolean): void {
    if (on === this.alternate) return;
    if (on) {
      this.freshLine();
      this.text('[full-screen program: its screen is not part of this text]');
    }
    this.alternate = on;
    if (!on) this.freshLine();
  }
}

/** What becomes of a line: `written` stands for a text that was written, `blank` for so many cells without one. */
type Change = (old: string, written: (run: string) => string, blank: (count: number) => string) => string;

const same = (run: string) => run;
const spaces = (count: number) => ' '.repeat(count);

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
