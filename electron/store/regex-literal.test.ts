import fc from 'fast-check';
import { expect, test } from 'vitest';
import { requiredPhrase } from './regex-literal';
import { tokensOf } from './search-tokens';

test.each([
  ['loss', null],
  [' loss', { tokens: ['loss'], prefix: true }],
  ['RuntimeError: CUDA out', { tokens: ['cuda', 'out'], prefix: true }],
  ['epoch=\\d+ loss=0\\.', { tokens: ['loss', '0'], prefix: false }],
  ['a|: error', null],
  ['(: error)', null],
  ['x*: error?', { tokens: ['erro'], prefix: true }],
  [': (?:a|b): memory', { tokens: ['memory'], prefix: true }],
  ['\\bmemory', null],
  ['[: ]memory', null],
  ['/tmp\\/model\\.pt', { tokens: ['tmp', 'model', 'pt'], prefix: true }],
  [': ab', null],
  [' memory{0}', { tokens: ['memor'], prefix: true }],
  [' memory\\u0041', { tokens: ['memory'], prefix: true }],
])('%s needs %j', (source, phrase) => {
  expect(requiredPhrase(source)).toEqual(phrase);
});

test('every text that matches holds the phrase', () => {
  const atom = fc.constantFrom(
    'loss',
    ' ',
    '=',
    'err',
    '\\.',
    '\\d',
    '[ab ]',
    '(x|y )',
    'é',
    '\\w+',
    '.',
    '\\/',
    ':',
    '_',
    'K',
  );
  const quantifier = fc.constantFrom('', '', '', '?', '*', '+', '{2}', '{0,1}');
  const source = fc
    .array(fc.tuple(atom, quantifier), { minLength: 1, maxLength: 6 })
    .map((list) =>
      list.map(([each, many]) => (each.length > 1 && /^\w+$/.test(each) ? each : each + many)).join(''),
    );
  const word = fc.constantFrom(
    'loss',
    'Loss',
    'err',
    ' ',
    ' ',
    '=',
    '.',
    '1',
    'a',
    'b',
    'x',
    'é',
    '/',
    ':',
    '_',
    'K',
    'ſ',
  );
  let checked = 0;
  fc.assert(
    fc.property(
      source,
      fc.array(word, { maxLength: 14 }).map((list) => list.join('')),
      fc.constantFrom('', 'i', 'iu'),
      (pattern, given, flags) => {
        const phrase = requiredPhrase(pattern);
        if (phrase === null || !new RegExp(pattern, flags).test(given)) return;
        checked += 1;
        const have = [...tokensOf(given)].map(({ text }) => text);
        const found = have.some((_, at) =>
          phrase.tokens.every((token, index) =>
            phrase.prefix && index === phrase.tokens.length - 1
              ? have[at + index]?.startsWith(token)
              : have[at + index] === token,
          ),
        );
        expect(found, `${pattern} in ${given}`).toBe(true);
      },
    ),
    { numRuns: 60_000, seed: 5 },
  );
  expect(checked).toBeGreaterThan(100);
});
