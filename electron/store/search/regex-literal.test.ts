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
  /** A piece of a pattern, and a text it matches. */
  const pieces: [string, string][] = [
    [' loss', ' loss'],
    ['loss', 'Loss'],
    [': err', ': err'],
    ['err=', 'err='],
    ['\\.', '.'],
    ['\\d+', '17'],
    ['[ab ]', 'a'],
    ['(x|yes )', 'yes '],
    ['.', 'é'],
    ['=*', ''],
    ['s+', 'ss'],
    [' ?', ''],
    ['t{0,2}', 't'],
    ['_K', '_K'],
    ['\\/', '/'],
    ['é', 'é'],
    ['(?= )', ''],
  ];
  const noise = fc.constantFrom('', ' ', 'a', 'loss', 'é', '显', '\u0301', '.', 'ſ');
  let checked = 0;
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 }),
      noise,
      noise,
      fc.constantFrom('i', 'iu'),
      (list, before, after, flags) => {
        const source = list.map(([each]) => each).join('');
        const given = before + list.map(([, each]) => each).join('') + after;
        const phrase = requiredPhrase(source);
        if (phrase === null || !new RegExp(source, flags).test(given)) return;
        checked += 1;
        const have = [...tokensOf(given)].map(({ text }) => text);
        const found = have.some((_, at) =>
          phrase.tokens.every((token, index) =>
            phrase.prefix && index === phrase.tokens.length - 1
              ? have[at + index]?.startsWith(token)
              : have[at + index] === token,
          ),
        );
        expect(found, `${source} in ${given}`).toBe(true);
      },
    ),
    { numRuns: 20_000, seed: 5 },
  );
  expect(checked).toBeGreaterThan(5000);
});
