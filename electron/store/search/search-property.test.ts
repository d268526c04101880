import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRun, RunWriter } from '../../testing/run-writer';
import { testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';
import { parseQuery, type SearchTerm } from './search-query';
import type { StepTexts } from './search-texts';
import { indexedText, tokensOf } from './search-tokens';

const words = [
  ...['loss', 'Loss', 'lossless', 'checkpoint', 'check', 'CUDA', 'out', 'of', 'memory', 'x', '1', '3.14'],
  ...[
    'résumé',
    'Ünïcode',
    'ΣΟΦΟΣ',
    'ﬁlter',
    'ＧＰＵ',
    'GPU显存',
    '学习',
    '数据',
    '学',
    'データ',
    'ﾃﾞｰﾀ',
    'ガス',
    'か',
    'が',
    '학습',
    '학',
  ],
  ...['model.pt', '--lr', 'a_b', '—', '✓', '\n', 'étape２', '²'],
];
const text = fc.array(fc.constantFrom(...words), { maxLength: 8 }).map((list) => list.join(' '));
const joined = fc.array(fc.constantFrom(...words), { maxLength: 5 }).map((list) => list.join(''));
const anyText = fc.oneof(text, joined);
const piece = fc.oneof(
  fc.constantFrom(...words),
  fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }).map((list) => `"${list.join(' ')}"`),
  fc.constantFrom(...words).map((word) => `${word.slice(0, 3)}*`),
);
const query = fc
  .array(fc.tuple(fc.constantFrom('', '', '', '-', 'thought:', 'obs:', '-obs:'), piece), {
    minLength: 1,
    maxLength: 3,
  })
  .chain((list) =>
    fc.constantFrom('', ' ').map((end) => list.map(([before, each]) => before + each).join(' ') + end),
  );

/** Whether a term stands in a text, by looking at every word of it. */
function holds(where: string, { tokens, prefix }: SearchTerm): boolean {
  const have = [...tokensOf(where)].map(({ text: each }) => each);
  return have.some((_, at) =>
    tokens.every((token, index) => {
      const found = have[at + index];
      const open = prefix && index === tokens.length - 1;
      return found !== undefined && (open ? found.startsWith(token) : found === token);
    }),
  );
}

function naive(texts: readonly Pick<StepTexts, 'thought' | 'observation'>[], typed: string): number[] {
  const { terms, excluded } = parseQuery(typed);
  const found = (step: Pick<StepTexts, 'thought' | 'observation'>, term: SearchTerm) =>
    (['thought', 'observation'] as const).some(
      (field) => (term.field === null || term.field === field) && holds(step[field], term),
    );
  return texts.flatMap((step, index) =>
    terms.length > 0 &&
    terms.every((term) => found(step, term)) &&
    !excluded.some((term) => found(step, term))
      ? [index + 1]
      : [],
  );
}

async function write(
  store: Store,
  texts: readonly { thought: string; observation: string }[],
): Promise<string> {
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  for (const { thought, observation } of texts)
    await writer.command('', observation, { thought, tool: 'tool', args: {} });
  return run;
}

test('words, phrases, prefixes, exclusion, fields and CJK find what a look at every word finds', async () => {
  const [steps = []] = fc.sample(
    fc.array(fc.record({ thought: anyText, observation: anyText }), { minLength: 120, maxLength: 120 }),
    { numRuns: 1, seed: 20 },
  );
  const store = testStore();
  const run = await write(store, steps);
  await store.drain();
  let found = 0;
  await fc.assert(
    fc.asyncProperty(query, async (typed) => {
      const expected = naive(steps, typed);
      found += expected.length;
      expect(await store.reader.stepsMatching(run, typed)).toEqual(expected);
      const page = await store.reader.search({ run, query: typed, from: { hit: 0 }, limit: 200 });
      expect(page.hits.map(({ step }) => step)).toEqual(expected);
      expect(page.total).toBe(expected.length);
      for (const { snippet } of page.hits) expect(snippet).toMatch(/\u0001.+?\u0002/s);
    }),
    { numRuns: 400, seed: 3 },
  );
  expect(found).toBeGreaterThan(2000);
});

test('the words of a text are those of what the index is given of it', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, fc.string({ unit: 'binary', maxLength: 40 })), (given) => {
      const own = [...tokensOf(given)].map(({ text: each }) => each);
      const again = [...tokensOf(indexedText(given))].map(({ text: each }) => each);
      expect(again.join('|')).toBe(
        own.flatMap((each) => [...tokensOf(each)].map(({ text: word }) => word)).join('|'),
      );
      for (const { start, end } of tokensOf(given)) expect(given.slice(start, end)).not.toBe('');
    }),
    { numRuns: 500 },
  );
});

test('letters that differ by marks only are the same in Latin and different in Japanese and Korean', () => {
  const one = (given: string) => [...tokensOf(given)].map(({ text: each }) => each);
  expect(one('Résumé ＧＰＵ４')).toEqual(['resume', 'gpu4']);
  expect(one('ガガ')).toEqual(['ガ', 'ガ']);
  expect(one('ｶﾞ')).toEqual(['ガ']);
  expect(one('학습GPU显存')).toEqual(['학', '습', 'gpu', '显', '存']);
});
