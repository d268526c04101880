import { parseShell } from '@shared/shell/shell-command';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { directoryAfter } from './shell-edits';

test('a command without cd leaves the shell where it stood', () => {
  expect(directoryAfter('python train.py --steps 3')).toBe('');
  expect(directoryAfter('cd src && make')).toBe('src');
  expect(directoryAfter('cd "$HOME"')).toBeNull();
});

test('what nobody can read to its end leaves the shell somewhere unknown', () => {
  expect(directoryAfter('cd src <<E')).toBeNull();
  expect(directoryAfter('cd src "')).toBeNull();
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
      const probe = parseShell(`${command}\n:`).at(-1);
      // Inside an open quote or here-document the probe is text, and reading tells nothing.
      fc.pre(probe?.argv[0] === ':');
      expect(directoryAfter(command)).toBe(probe?.directory ?? null);
    }),
    { numRuns: 2000 },
  );
});
