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

/**
 * Output with its colours, line by line. A carriage return goes back to the line's beginning, so of a progress bar its
 * last state is left. Everything else that moves, asks, sets or links is inert.
 */
export function ansiLines(text: string): AnsiSpan[][] {
  const screen = new ColouredLines();
  const parser = new EscapeParser(screen);
  parser.push(text);
  return screen.end();
}

/** Whether the text holds anything that this makes readable. */
export function hasAnsi(text: string): boolean {
  return /\u001b\[|\u009b|\u001b\]|[^\n]\r(?!\n)/.test(text);
}

/** A piece of a line from a column on; later pieces lie over earlier ones. */
interface Cell {
  text: string;
  style: AnsiStyle;
}

class ColouredLines implements EscapeSink {
  readonly #lines: AnsiSpan[][] = [];
  /** The line while nothing was overwritten in it; characters by column afterwards. */
  #spans: Cell[] = [];
  #cells: Cell[] | null = null;
  #column = 0;
  #style = plain;

  text(run: string): void {
    if (this.#cells === null && this.#column === length(this.#spans)) {
      this.#spans.push({ text: run, style: this.#style });
      this.#column += run.length;
      return;
    }
    const cells = this.#asCells();
    while (cells.length < this.#column) cells.push({ text: ' ', style: plain });
    for (const character of run) {
      // A character of two units takes two cells, so that columns stay what they are for text without any.
      cells[this.#column] = { text: character, style: this.#style };
      for (let unit = 1; unit < character.length; unit += 1) {
        cells[this.#column + unit] = { text: '', style: this.#style };
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
    else if ('ABEFHfd'.includes(final) && length(this.#spans) > 0) this.#feed();
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
    this.#column = 0;
  }

  #asCells(): Cell[] {
    this.#cells ??= this.#spans.flatMap(({ text, style }) =>
      [...text].flatMap((character) => [
        { text: character, style },
        ...Array.from({ length: character.length - 1 }, () => ({ text: '', style })),
      ]),
    );
    return this.#cells;
  }

  #erase(params: string): void {
    const cells = this.#asCells();
    if (params === '' || params === '0') cells.length = Math.min(cells.length, this.#column);
    else if (params === '2') cells.length = 0;
    else if (params === '1') {
      for (let at = 0; at < Math.min(cells.length, this.#column); at += 1)
        cells[at] = { text: ' ', style: plain };
    }
  }

  #line(): AnsiSpan[] {
    const joined: AnsiSpan[] = [];
    for (const { text, style } of this.#cells ?? this.#spans) {
      const last = joined.at(-1);
      if (last !== undefined && last.style === style) last.text += text;
      else joined.push({ text, style });
    }
    return joined;
  }
}

function length(spans: readonly Cell[]): number {
  return spans.reduce((sum, { text }) => sum + text.length, 0);
}

/** The style after `CSI params m`. */
function styled(before: AnsiStyle, params: string): AnsiStyle {
  let style = before;
  const codes = params.split(/[;:]/).map((code) => (code === '' ? 0 : Number(code)));
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const [colour, taken] = extended(codes.slice(at + 1));
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
