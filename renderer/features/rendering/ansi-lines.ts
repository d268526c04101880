import { EscapeParser, type EscapeSink } from '@shared/terminal/escape-parser';
import { type AnsiColour, namedColours, paletteColour } from './ansi-colours';

export interface AnsiStyle {
  colour: AnsiColour | null;
  ground: AnsiColour | null;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  strike: boolean;
  inverse: boolean;
}

export interface AnsiSpan {
  text: string;
  style: AnsiStyle;
}

const plain: AnsiStyle = {
  ...{ colour: null, ground: null, bold: false, dim: false, italic: false, underline: false },
  ...{ strike: false, inverse: false },
};

/** Blank cells that a step to a column may create. */
const MAX_PADDING = 1024;
/** Blank cells that all such steps of a text may create: so many, and so many more for each character of it. */
const PADDING = 65_536;
const PADDING_PER_CHARACTER = 2;

/**
 * Output with its colours, line by line. A carriage return goes back to the line's beginning, so of a progress bar its
 * last state is left. Everything else that moves, asks, sets or links is inert. Takes time linear in the text, whatever it holds.
 */
export function ansiLines(text: string): AnsiSpan[][] {
  const screen = new ColouredLines(PADDING + PADDING_PER_CHARACTER * text.length);
  const parser = new EscapeParser(screen);
  parser.push(text);
  return screen.end();
}

/** Whether the text holds anything that this makes readable. */
export function hasAnsi(text: string): boolean {
  return /\u001b\[|\u009b|\u001b\]|[^\n]\r(?!\n)/.test(text);
}

/** What stands in a column, and how many erasures its line had seen when it was written. */
interface Cell extends AnsiSpan {
  age: number;
}

/** Everything before `column` was erased that is no older than `age`. */
interface Erasure {
  column: number;
  age: number;
}

class ColouredLines implements EscapeSink {
  readonly #lines: AnsiSpan[][] = [];
  /** The line while nothing was overwritten in it; characters by column afterwards. */
  #spans: AnsiSpan[] = [];
  #cells: Cell[] | null = null;
  #width = 0;
  #column = 0;
  #style = plain;
  #printed = false;
  /** Those that still matter: a later one is shorter. Carried out when the line is over, so that each costs the same. */
  #erasures: Erasure[] = [];
  #age = 0;

  /** `padding`: blank cells that steps to columns may create in all. */
  constructor(private padding: number) {}

  text(run: string): void {
    this.#printed = true;
    if (this.#cells === null && this.#column === this.#width) {
      this.#spans.push({ text: run, style: this.#style });
      this.#width += run.length;
      this.#column = this.#width;
      return;
    }
    const cells = this.#asCells();
    const age = this.#age;
    if (this.#column - cells.length > this.padding) this.#column = cells.length;
    this.padding -= Math.max(0, this.#column - cells.length);
    const blank = { text: ' ', style: plain, age };
    while (cells.length < this.#column) cells.push(blank);
    for (const character of run) {
      // A character of two units takes two cells, so that columns stay what they are for text without any.
      cells[this.#column] = { text: character, style: this.#style, age };
      for (let unit = 1; unit < character.length; unit += 1) {
        cells[this.#column + unit] = { text: '', style: this.#style, age };
      }
      this.#column += character.length;
    }
  }

  control(code: number): void {
    if (code === 0x0a || code === 0x0b || code === 0x0c) this.#feed();
    else if (code === 0x0d) this.#column = 0;
    else if (code === 0x08) this.#column = Math.max(0, this.#column - 1);
    else if (code === 0x09) this.text('\t');
  }

  escape(_intermediates: string, final: string): void {
    if (final === 'c') this.#style = plain;
    else if (final === 'E') this.#feed();
  }

  csi(prefix: string, params: string, intermediates: string, final: string): void {
    if (prefix !== '' || intermediates !== '') return;
    if (final === 'm') this.#style = styled(this.#style, params);
    else if (final === 'K') this.#erase(params);
    else if (final === 'G') this.#column = Math.min(MAX_PADDING, Math.max(0, (Number(params) || 1) - 1));
    else if (final === 'C') this.#column += Math.min(MAX_PADDING, Number(params) || 1);
    // What jumps elsewhere begins anew below: nothing that was printed is lost.
    else if ('ABEFHfd'.includes(final) && this.#printed) this.#feed();
  }

  osc(): void {
    // Titles, links, clipboards: of a link its text is left, which is no part of the sequence.
  }

  end(): AnsiSpan[][] {
    return [...this.#lines, this.#line()];
  }

  #feed(): void {
    this.#lines.push(this.#line());
    this.#spans = [];
    this.#cells = null;
    this.#width = 0;
    this.#column = 0;
    this.#printed = false;
    this.#erasures = [];
  }

  #asCells(): Cell[] {
    const age = this.#age;
    this.#cells ??= this.#spans.flatMap(({ text, style }) =>
      [...text].flatMap((character) => [
        { text: character, style, age },
        ...Array.from({ length: character.length - 1 }, () => ({ text: '', style, age })),
      ]),
    );
    return this.#cells;
  }

  #erase(params: string): void {
    const cells = this.#asCells();
    if (params === '' || params === '0') cells.length = Math.min(cells.length, this.#column);
    else if (params === '2') cells.length = 0;
    else if (params === '1') {
      const column = this.#column;
      while ((this.#erasures.at(-1)?.column ?? Infinity) <= column) this.#erasures.pop();
      this.#erasures.push({ column, age: this.#age });
      this.#age += 1;
    }
  }

  #line(): AnsiSpan[] {
    const joined: AnsiSpan[] = [];
    for (const { text, style } of this.#cells === null ? this.#spans : this.#erased(this.#cells)) {
      const last = joined.at(-1);
      if (last !== undefined && last.style === style) last.text += text;
      else joined.push({ text, style });
    }
    return joined;
  }

  /** From the end on: there the long erasures count, which are the old ones; each further one reaches less far. */
  #erased(cells: Cell[]): AnsiSpan[] {
    let next = 0;
    let erasure: Erasure | undefined;
    for (let column = cells.length - 1; column >= 0; column -= 1) {
      while ((this.#erasures[next]?.column ?? 0) > column) {
        erasure = this.#erasures[next];
        next += 1;
      }
      const cell = cells[column];
      if (cell !== undefined && erasure !== undefined && cell.age <= erasure.age)
        cells[column] = { text: ' ', style: plain, age: cell.age };
    }
    return cells;
  }
}

/** The style after `CSI params m`. */
function styled(before: AnsiStyle, params: string): AnsiStyle {
  let style = before;
  const codes = params.split(/[;:]/).map((code) => (code === '' ? 0 : Number(code)));
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const [colour, taken] = extended(codes.slice(at + 1, at + 5));
      at += taken;
      if (colour !== null) style = { ...style, [code === 38 ? 'colour' : 'ground']: colour };
    } else style = { ...style, ...simple(code) };
  }
  return style;
}

/** `5;n` or `2;r;g;b`, and how many numbers that took. */
function extended(rest: readonly number[]): [AnsiColour | null, number] {
  if (rest[0] === 5) return [paletteColour(rest[1] ?? -1), 2];
  if (rest[0] !== 2) return [null, 0];
  const [red = 0, green = 0, blue = 0] = rest
    .slice(1, 4)
    .map((value) => Math.min(255, Math.max(0, value || 0)));
  return [[red, green, blue], 4];
}

function simple(code: number): Partial<AnsiStyle> {
  switch (code) {
    case 0:
      return plain;
    case 1:
      return { bold: true };
    case 2:
      return { dim: true };
    case 3:
      return { italic: true };
    case 4:
      return { underline: true };
    case 7:
      return { inverse: true };
    case 9:
      return { strike: true };
    case 22:
      return { bold: false, dim: false };
    case 23:
      return { italic: false };
    case 24:
      return { underline: false };
    case 27:
      return { inverse: false };
    case 29:
      return { strike: false };
    case 39:
      return { colour: null };
    case 49:
      return { ground: null };
    default:
      break;
  }
  const tens = Math.floor(code / 10);
  const colour = namedColours[code % 10] ?? null;
  if (colour === null) return {};
  if (tens === 3 || tens === 9) return { colour };
  if (tens === 4 || tens === 10) return { ground: colour };
  return {};
}
