import { expect, it } from 'vitest';
import { csvOf } from './plot-files';

it('writes rows that a spreadsheet reads back, and no formula', () => {
  const rows = [
    ['name', 'n'],
    ['a "b", c', 1],
    ['=1+1', null],
    ['two\nlines', -2],
  ];
  expect(csvOf(rows)).toBe('name,n\r\n"a ""b"", c",1\r\n\'=1+1,\r\n"two\nlines",-2\r\n');
});
