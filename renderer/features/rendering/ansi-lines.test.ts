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
      expect(shown(chosen.join('')), JSON.stringify(chosen)).toEqual([naive(chosen)]);
    }
  });
});
