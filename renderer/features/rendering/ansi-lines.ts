import { EscapeParser } from '@shared/terminal/escape-parser';
import { type Ink, type InkedLine, LineScreen } from '@shared/terminal/line-screen';
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
  colour: null,
  ground: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  strike: false,
  inverse: false,
};

/**
 * Output with its colours, line by line, and the same text as the model reads: of a progress bar the last state is left. Takes time
 * linear in the text, whatever it holds.
 */
export function ansiLines(text: string): AnsiSpan[][] {
  const ink = new StyleInk();
  const screen = new LineScreen(0, ink);
  new EscapeParser(screen).push(text);
  return screen.inkedLines().map((line) => ink.spans(line));
}

/** Whether the text holds anything that this makes readable. */
export function hasAnsi(text: string): boolean {
  return /\u001b\[|\u009b|\u001b\]|[^\n]\r(?!\n)/.test(text);
}

/** Styles of one text; what has more of them than anybody can tell apart goes on in plain ones. */
const MOST_STYLES = 50_000;

/** Styles by number, which are the inks of a line's characters. */
class StyleInk implements Ink {
  private readonly styles: AnsiStyle[] = [plain];
  private readonly numbers = new Map([[JSON.stringify(plain), 0]]);
  readonly blank = String.fromCharCode(0);
  now = this.blank;

  change(params: string): void {
    const style = styled(this.styleOf(this.now.charCodeAt(0)), params);
    const key = JSON.stringify(style);
    let number = this.numbers.get(key);
    if (number === undefined) {
      number = this.styles.length < MOST_STYLES ? this.styles.push(style) - 1 : 0;
      if (number > 0) this.numbers.set(key, number);
    }
    this.now = String.fromCharCode(number);
  }

  reset(): void {
    this.now = this.blank;
  }

  spans({ text, inks }: InkedLine): AnsiSpan[] {
    const spans: AnsiSpan[] = [];
    for (let from = 0; from < text.length; ) {
      const ink = inks.charCodeAt(from);
      let to = from + 1;
      while (to < text.length && inks.charCodeAt(to) === ink) to += 1;
      spans.push({ text: text.slice(from, to), style: this.styleOf(ink) });
      from = to;
    }
    return spans;
  }

  private styleOf(number: number): AnsiStyle {
    return this.styles[number] ?? plain;
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
