import { useMemo } from 'react';
import { useDocumentTheme } from '../../state/settings';
import { type AnsiColour, type Rgb, readable, rgbOf, textOn } from './ansi-colours';
import { type AnsiSpan, type AnsiStyle, ansiLines } from './ansi-lines';
import { legible } from './legible';

/** Terminal output in the theme's terminal colours; free colours are moved until they can be read. */
export function AnsiText({ text }: { text: string }) {
  const theme = useDocumentTheme();
  const ground = useMemo(() => groundOf(theme), [theme]);
  const lines = useMemo(() => ansiLines(text), [text]);
  return (
    <>
      {lines.map((spans, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one text never move
        <span key={line}>
          {line > 0 && '\n'}
          {spans.map((span, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: nor do its pieces
            <AnsiPiece key={at} span={span} ground={ground} />
          ))}
        </span>
      ))}
    </>
  );
}

function AnsiPiece({ span: { text, style }, ground }: { span: AnsiSpan; ground: Rgb }) {
  const { names, css } = lookOf(style, ground);
  const shown = legible(text);
  if (names === '' && css === undefined) return shown;
  return (
    <span className={names} style={css}>
      {shown}
    </span>
  );
}

function groundOf(_theme: string): Rgb {
  if (typeof document === 'undefined') return [14, 15, 17];
  return rgbOf(getComputedStyle(document.documentElement).getPropertyValue('--bg-inset'));
}

interface Look {
  names: string;
  css: { color?: string; backgroundColor?: string } | undefined;
}

const css = ([red, green, blue]: Rgb) => `rgb(${red} ${green} ${blue})`;

function lookOf(style: AnsiStyle, ground: Rgb): Look {
  const { bold, dim, italic, underline, strike, inverse } = style;
  const names = [
    bold ? 'ansi-bold' : '',
    italic ? 'ansi-italic' : '',
    underline ? 'ansi-underline' : '',
    strike ? 'ansi-strike' : '',
  ].filter((name) => name !== '');
  const back: AnsiColour | null = inverse ? (style.colour ?? 'fg') : style.ground;
  const front: AnsiColour | null = inverse ? null : (style.colour ?? (dim ? 'dim' : null));
  if (back !== null) {
    // On a coloured ground the text takes the colour that reads best there, whatever was asked for.
    if (typeof back === 'string')
      return { names: [...names, 'ansi-on', `ansi-on-${back}`].join(' '), css: undefined };
    return { names: names.join(' '), css: { color: css(textOn(back)), backgroundColor: css(back) } };
  }
  if (typeof front === 'string') return { names: [...names, `ansi-${front}`].join(' '), css: undefined };
  return {
    names: names.join(' '),
    css: front === null ? undefined : { color: css(readable(front, ground)) },
  };
}
