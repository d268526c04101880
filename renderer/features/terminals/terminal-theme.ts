import type { ITheme } from '@xterm/xterm';

/** Width of a terminal's own scroll bar, px. */
export const scrollBarPx = 10;

/** The terminal's colours from the tokens of the theme in force. */
export function terminalTheme(): ITheme {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(`--term-${name}`).trim();
  const colours = ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan'] as const;
  const bright = (name: string) => `bright${name[0]?.toUpperCase()}${name.slice(1)}`;
  return {
    background: token('bg'),
    foreground: token('fg'),
    cursor: token('cursor'),
    cursorAccent: token('bg'),
    black: token('dim'),
    white: token('fg'),
    brightBlack: token('dim'),
    brightWhite: token('fg'),
    scrollbarSliderBackground: style.getPropertyValue('--line-strong').trim(),
    scrollbarSliderHoverBackground: style.getPropertyValue('--line-ctl').trim(),
    scrollbarSliderActiveBackground: style.getPropertyValue('--line-ctl').trim(),
    overviewRulerBorder: token('bg'),
    selectionBackground: style.getPropertyValue('--bg-selected').trim(),
    ...Object.fromEntries(
      colours.flatMap((name) => [
        [name, token(name)],
        [bright(name), token(name)],
      ]),
    ),
  };
}
