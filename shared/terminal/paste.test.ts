import { expect, it } from 'vitest';
import { checkPaste, pastedAsOneLine, pastedText } from './paste';

it('asks about line breaks, control and hidden characters, and about nothing else', () => {
  expect(checkPaste('ls -la\t~')).toEqual({ lines: 1, controls: 0, hidden: false, ask: false });
  expect(checkPaste('ls\n')).toMatchObject({ lines: 2, ask: true });
  expect(checkPaste('ls\r\nrm')).toMatchObject({ lines: 2, controls: 0, ask: true });
  expect(checkPaste('ls\rrm')).toMatchObject({ lines: 2, ask: true });
  expect(checkPaste('a\x1b[201~rm\x03')).toMatchObject({ controls: 2, ask: true });
  expect(checkPaste('r\u200bm')).toMatchObject({ controls: 0, hidden: true, ask: true });
});

it('never sends a control character', () => {
  expect(pastedText('a\x1b[201~\x03\x9bb\r\n\tc\rd\x7f')).toBe('a[201~b\n\tc\nd');
});

it('makes one line', () => {
  expect(pastedAsOneLine('\nfor f in *; do\n    echo $f\r\ndone\n\n')).toBe('for f in *; do echo $f done');
});
