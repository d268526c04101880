import { expect, it } from 'vitest';
import { csvText } from './csv-text';

const blanks = [
  '',
  ' ',
  '\n',
  '\t',
  '\r',
  '\r\n',
  '\u00a0',
  '\u3000',
  '\ufeff',
  '\u200b',
  '\u2060',
  '\u00ad',
  '\0',
  '\u2028',
];
const signs = ['=', '+', '-', '@', '\uff1d', '\uff0b', '\uff0d', '\uff20'];

it('quotes what a spreadsheet would run, behind whatever is trimmed or not seen', () => {
  for (const blank of blanks) {
    for (const second of blanks) {
      for (const sign of signs) {
        const text = `${blank}${second}${sign}1+1`;
        expect(csvText(text), JSON.stringify(text)).toMatch(/^"?'/);
      }
    }
  }
});

it('leaves other texts as they are', () => {
  for (const text of ['', 'a=b', ' a', 'Größe', '三 = 3', "it's", '1-2']) expect(csvText(text)).toBe(text);
  expect(csvText('a "b", c')).toBe('"a ""b"", c"');
  expect(csvText('a;b')).toBe('"a;b"');
});
