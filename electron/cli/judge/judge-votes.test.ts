import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldAnnotations } from '@shared/labels/annotation-fold';
import type { JudgeQuality } from '@shared/labels/judge-quality';
import { expect, test } from 'vitest';
import { allAnnotations } from '../../dataset/event-pages';
import { runOf } from '../../testing/review-stand';
import { alice } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { parseArguments } from '../arguments';
import type { CliContext } from '../context';
import { labelCommand } from '../label-commands';
import { judgeCommand } from './judge-commands';

async function stand() {
  const store = testStore();
  const run = await runOf(store, 3);
  const context = { store, reader: store.reader, author: alice } as unknown as CliContext;
  const file = join(temporaryFolder(), 'votes.jsonl');
  return {
    store,
    run,
    context,
    bring: (...lines: object[]) => {
      writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
      return labelCommand(context, parseArguments(['label', 'judge', run, file]));
    },
    ratings: async (step: number) => {
      const fold = foldAnnotations(await allAnnotations(store.reader, run));
      return fold.at(step).rewards.map(({ judge, vote, value, rubric }) => [judge, vote, value, rubric]);
    },
  };
}

const rating = (step: number, vote: number, value: number, more: object = {}) => ({
  step,
  judge: 'weak',
  value,
  vote,
  text: `So be it.\n\\boxed{${value}}`,
  rubric: 'r1',
  ...more,
});

test('ratings of steps are brought in beside verdicts on masks, vote by vote, and once', async () => {
  const { bring, ratings, store, run } = await stand();
  const lines = [
    rating(1, 1, 1),
    rating(1, 2, -1),
    rating(1, 3, 0, { text: 'No idea.', reasoning: 'Hm.', future: false }),
    { step: 1, judge: 'weak', value: 'mask' },
    // The last line about a vote counts.
    rating(2, 1, -1),
    rating(2, 1, 1),
  ];
  expect((await bring(...lines)).json).toMatchObject({ added: 5, unchanged: 0, judges: ['weak'] });
  expect((await bring(...lines)).json).toMatchObject({ added: 0, unchanged: 5 });
  expect(await ratings(1)).toEqual([
    ['weak', 1, 1, 'r1'],
    ['weak', 2, -1, 'r1'],
    ['weak', 3, 0, 'r1'],
  ]);
  expect(await ratings(2)).toEqual([['weak', 1, 1, 'r1']]);
  const { labels } = await store.reader.step(run, 1);
  expect(labels.judges).toMatchObject([{ judge: 'weak', value: 'mask' }]);
  // By another rubric they take the place of those that stand.
  await bring(rating(1, 1, -1, { rubric: 'r2' }));
  expect(await ratings(1)).toEqual([['weak', 1, -1, 'r2']]);
});

test('a bad rating is named, and nothing is imported', async () => {
  const { bring, ratings } = await stand();
  const bad = bring(
    rating(1, 1, 1),
    rating(1, 1, 2),
    rating(1, 0, 1),
    rating(9, 1, 1),
    rating(1, 1, 1, { confidence: 0.5 }),
  );
  await expect(bad).rejects.toThrow(
    /line 2: value: must be 1, -1 or 0; line 3: vote: .*; line 4: there is no step 9.*; line 5: the vote: .*confidence/,
  );
  expect(await ratings(1)).toEqual([]);
});

test('ratings of a judge are compared with the majority of eight votes of a stronger one', async () => {
  const { bring, context, run } = await stand();
  const strong = [1, 1, 1, 1, 1, 1, -1, 0];
  await bring(
    ...[1, 2].flatMap((step) => [
      ...strong.map((value, at) => rating(step, at + 1, value, { judge: 'strong' })),
      ...[1, 1, step === 1 ? 1 : -1].map((value, at) => rating(step, at + 1, value)),
    ]),
    ...[-1, -1, 1].map((value, at) => rating(3, at + 1, value)),
  );
  const agreement = async (...words: string[]) =>
    judgeCommand(context, parseArguments(['judge', 'agreement', '--run', run, ...words]));
  const { json, lines } = await agreement('--truth', 'strong');
  expect((json as JudgeQuality).rewards.raters).toMatchObject([
    { judge: 'strong', process: null },
    { judge: 'weak', process: { votes: { value: 5 / 6, n: 6 }, majority: { value: 1, n: 2 } } },
  ]);
  expect(lines.find((line) => line.includes('votes that are right'))).toMatch(/83 % \(.*n = 6\)/);
  expect(((await agreement()).json as JudgeQuality).rewards.raters[1]?.process).toBeNull();
  await expect(agreement('--truth', 'Nobody')).rejects.toMatchObject({ code: 'not_found' });
});
