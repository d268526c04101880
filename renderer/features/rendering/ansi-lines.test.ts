import { modelText } from '@shared/terminal/model-text';
import { describe, expect, it } from 'vitest';
import { ansiLines } from './ansi-lines';

const shown = (text: string) => ansiLines(text).map((line) => line.map((span) => span.text).join(''));
const random = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
  return seed / 2 ** 31;
};

/** What erasing and overwriting leave, carried out at once on a row of characters. */
function naive(pieces: readonly string[]): string {
  let row: string[] = [];
  let column = 0;
  for (const piece of pieces) {
    if (piece === '\r') column = 0;
    else if (piece === '\b') column = Math.max(0, column - 1);
    else if (piece === '\x1b[3C') column += 3;
    else if (piece === '\x1b[K') row = row.slice(0, column);
    else if (piece === '\x1b[2K') row = [];
    else if (piece === '\x1b[1K') row = row.map((each, at) => (at < column ? ' ' : each));
    else {
      for (const character of piece) {
        while (row.length < column) row.push(' ');
        row[column] = character;
        column += 1;
      }
    }
  }
  return row.join('');
}

describe('erasing', () => {
  it('leaves what a terminal leaves', () => {
    const pieces = ['\r', '\b', '\x1b[3C', '\x1b[K', '\x1b[2K', '\x1b[1K', 'a', 'bcd', 'x'.repeat(9)];
    for (let seed = 1; seed <= 2_000; seed += 1) {
      const next = random(seed);
      const chosen = Array.from({ length: 14 }, () => pieces[Math.floor(next() * pieces.length)] ?? '');
      // Blanks at the end of a line that was rewritten are remains.
      const [line = '', ...others] = shown(chosen.join(''));
      expect(others).toEqual([]);
      expect(line.trimEnd(), JSON.stringify(chosen)).toBe(naive(chosen).trimEnd());
    }
  });
});

describe('colours', () => {
  const coloured = (text: string) =>
    ansiLines(text).map((line) => line.map(({ text: run, style }) => [run, style.colour]));

  it('stay with the characters that were written in them, whatever is written over', () => {
    expect(coloured('\x1b[32mgreen\x1b[0m\rab\x1b[31mc')).toEqual([
      [
        ['ab', null],
        ['c', 'red'],
        ['en', 'green'],
      ],
    ]);
    expect(coloured('\x1b[31mone\n\x1b[34mtwo\x1b[A\r\x1b[2Ked')).toEqual([
      [['ed', 'blue']],
      [['two', 'blue']],
    ]);
    expect(coloured('\x1b[31mabc\x1b[2D\x1b[@')).toEqual([
      [
        ['a', 'red'],
        [' ', null],
        ['bc', 'red'],
      ],
    ]);
  });

  it('leave the text that the model reads', () => {
    const pieces = [
      '\r',
      '\b',
      '\n',
      '\x1b[3C',
      '\x1b[K',
      '\x1b[2K',
      '\x1b[1K',
      '\x1b[2P',
      '\x1b[A',
      '\x1b[J',
      '\x1b[H',
    ].concat([
      '\x1b[31m',
      '\x1b[0m',
      '\x1b[4X',
      '\x1b[3@',
      '\x1bc',
      '\x1b[?1049h',
      '\x1b[?1049l',
      'bcd',
      '语言',
      '😀',
    ]);
    for (let seed = 1; seed <= 2_000; seed += 1) {
      const next = random(seed);
      const text = Array.from({ length: 24 }, () => pieces[Math.floor(next() * pieces.length)] ?? '').join(
        '',
      );
      expect(shown(text).join('\n'), JSON.stringify(text)).toBe(modelText(new TextEncoder().encode(text)));
    }
  });
});
