import type { SimilarSteps } from '@shared/contract/ipc/labels';
import { beforeEach, expect, it } from 'vitest';
import { settled } from '../../state/bridge-fixtures';
import { useToasts } from '../../state/toasts';
import { en } from '../../text/en';
import { AnnotationStand } from './annotation-fixtures';
import { giveReason } from './reasons';
import { applySimilar, changesOf, closeSimilar, openSimilar, useSimilar } from './similar';

const similar: SimilarSteps = {
  tool: 'edit_file',
  rules: ['blind-edit'],
  steps: 4,
  left: 0,
  decided: 1,
  parts: [
    { from: 1, to: 2 },
    { from: 5, to: 5 },
    { from: 9, to: 9 },
  ],
  now: { train: 1, mask: 2, undecided: 1 },
};

let stand: AnnotationStand;
let found: SimilarSteps;
beforeEach(() => {
  stand = new AnnotationStand();
  found = similar;
  Object.assign(stand.bridge.answers, { 'labels.similar': () => found });
  closeSimilar();
});

it('what is alike is shown before it is labelled, and labelled as one entry', async () => {
  giveReason(5);
  await openSimilar();
  expect(useSimilar.getState()).toMatchObject({ value: 'mask', reason: 'blind-edit' });
  expect(stand.entries).toEqual([]);
  applySimilar();
  expect(useSimilar.getState().found).toBeNull();
  await settled();
  expect(stand.entries).toHaveLength(1);
  expect(stand.entries[0]?.target).toMatchObject({ from: 1, to: 9, parts: similar.parts });
  expect([2, 3, 5, 9].map((step) => stand.at(step).join())).toEqual([
    ...['mask blind-edit', '', 'mask blind-edit', 'mask blind-edit'],
  ]);
});

it('leaving it changes nothing', async () => {
  await openSimilar();
  closeSimilar();
  applySimilar();
  await settled();
  expect(stand.entries).toEqual([]);
});

it('a step that is like no other is said, not shown', async () => {
  found = { ...similar, steps: 1 };
  await openSimilar();
  expect(useSimilar.getState().found).toBeNull();
  expect(useToasts.getState().toasts[0]?.say(en)).toBe('No other step is like step 1');
});

it('counts what would change', () => {
  expect(changesOf(similar, 'mask')).toEqual({ changing: 2, undecided: 1, other: 1 });
  expect(changesOf(similar, 'train')).toEqual({ changing: 3, undecided: 1, other: 2 });
});
