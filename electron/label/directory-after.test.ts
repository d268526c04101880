import { parseShell } from '@shared/shell-command';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { directoryAfter } from './shell-edits';

test('a command without cd leaves the shell where it stood', () => {
  expect(directoryAfter('python train.py --steps 3')).toBe('');
  expect(directoryAfter('cd src && make')).toBe('src');
  expect(directoryAfter('cd "$HOME"')).toBeNull();
});

test('the short way gives what reading the command gives', () => {
  const piece = fc.constantFrom(
    'ls',
    ' ',
    '&&',
    '|',
    ';',
    'cd',
    ' a/b',
    '(',
    ')',
    '$X',
    "'",
    '"',
    '\n',
    '>',
    'x',
    '<<E',
    '\\',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const command = pieces.join('');
      expect(directoryAfter(command)).toBe(parseShell(`${command}\n:`).at(-1)?.directory ?? null);
    }),
    { numRuns: 2000 },
  );
});
