/** Red, green, blue, 0–255. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** The colours a program names; the theme says what they look like. */
export const namedColours = ['dim', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'fg'] as const;
export type NamedColour = (typeof namedColours)[number];
export type AnsiColour = NamedColour | Rgb;

/** Colour `index` of the 256: 16 named ones (bright or not), a cube of 216, 24 greys. Null for anything else. */
export function paletteColour(index: number): AnsiColour | null {
  if (!Number.isInteger(index) || index < 0 || index > 255) return null;
  if (index < 16) return namedColours[index % 8] ?? null;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return [grey, grey, grey];
  }
  const cube = index - 16;
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  return [level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)];
}

function linear(value: number): number {
  const part = value / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** WCAG 2.2 contrast of two colours, 1–21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
}

const white: Rgb = [255, 255, 255];
const black: Rgb = [0, 0, 0];

/** Black or white, whichever reads better on the ground. */
export function textOn(ground: Rgb): Rgb {
  return contrast(white, ground) >= contrast(black, ground) ? white : black;
}

/** The colour, moved towards white or black just as far as text needs on this ground (4.5:1). */
export function readable(colour: Rgb, ground: Rgb): Rgb {
  const target = textOn(ground);
  for (let share = 0; share < 1; share += 0.1) {
    const [red, green, blue] = colour.map((value, at) => value + ((target[at] ?? 0) - value) * share);
    const mixed: Rgb = [Math.round(red ?? 0), Math.round(green ?? 0), Math.round(blue ?? 0)];
    if (contrast(mixed, ground) >= 4.5) return mixed;
  }
  return target;
}

/** `#rgb`, `#rrggbb`; anything else is taken for black. */
export function rgbOf(hex: string): Rgb {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(hex.trim())?.[1] ?? '000000';
  const pairs = digits.length === 3 ? [...digits].map((each) => each + each) : (digits.match(/../g) ?? []);
  const [red, green, blue] = pairs.map((pair) => Number.parseInt(pair, 16));
  return [red ?? 0, green ?? 0, blue ?? 0];
}
