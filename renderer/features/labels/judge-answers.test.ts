import type { LabelStack, StepDetail, StepHead } from '@shared/contract/views';
import { beforeEach, expect, it } from 'vitest';
import { settled } from '../../state/bridge-fixtures';
import { useDetails } from '../../state/run/detail';
import { HeadCache } from '../../state/run/head-cache';
import { stepHead } from '../../state/run/step-fixtures';
import { moveCursor, toggleRange, useTimeline } from '../../state/run/timeline';
import { useToasts } from '../../state/toasts';
import { en } from '../../text/en';
import { AnnotationStand, testRun } from './annotation-fixtures';
import { answerJudge, answerVote } from './judge-answers';
import { useLabels } from './labels';
import { giveReason } from './reasons';

let stand: AnnotationStand;
const masks = { value: 'mask', confidence: 0.7, differ: false } as const;
/** Of step 1 masks, of 2 keeps, on 3 the judges differ, 4 has none, and a hard rule masks 5, which the judge keeps. */
const votes: Record<number, Partial<StepHead>> = {
  1: { judge: masks },
  2: { judge: { ...masks, value: 'keep' } },
  3: { judge: { ...masks, differ: true } },
  5: { judge: { ...masks, value: 'keep' }, rules: ['error-observation'] },
};
const toasts = () => useToasts.getState().toasts.map(({ say }) => say(en));
const judges = (...reasons: string[]) =>
  ({ labels: { judges: reasons.map((reason) => ({ value: 'mask', reason })) } as LabelStack }) as StepDetail;

beforeEach(async () => {
  stand = new AnnotationStand();
  const heads = new HeadCache({
    load: async (from, to) =>
      Array.from({ length: to - from + 1 }, (_, at) =>
        stepHead(from + at, { run: testRun, ...votes[from + at] }),
      ),
    changed: () => undefined,
    failed: (thrown) => expect.fail(String(thrown)),
  });
  useTimeline.setState({ heads });
  useDetails.setState({ details: new Map() });
  heads.advance(1, 20);
  heads.show([{ from: 1, to: 20 }]);
  await settled();
});

it('one key decides as the judge does, with the judge’s reason to mask, and goes on to the next step', async () => {
  useDetails.setState({ details: new Map([[`${testRun}/1`, judges('blind-edit')]]) });
  answerJudge(true);
  answerJudge(true);
  await settled();
  expect([stand.at(1), stand.at(2)]).toEqual([['mask blind-edit'], ['train']]);
  expect(useTimeline.getState().cursor).toBe(3);
});

it('the other key decides against the judge, without a reason of the judge’s', async () => {
  useDetails.setState({ details: new Map([[`${testRun}/1`, judges('blind-edit')]]) });
  answerJudge(false);
  answerJudge(false);
  await settled();
  expect([stand.at(1), stand.at(2)]).toEqual([['train'], ['mask']]);
});

it('a person’s own reason goes before the judge’s; two judges’ reasons, or one that is none of the guideline’s, are left', async () => {
  useDetails.setState({ details: new Map([[`${testRun}/1`, judges('blind-edit')]]) });
  giveReason(1);
  answerJudge(true);
  await settled();
  expect(stand.at(1)).toEqual(['mask ignores-script']);
  for (const other of [judges('blind-edit', 'idle-compute'), judges('my-own-criterion')]) {
    moveCursor(1);
    useDetails.setState({ details: new Map([[`${testRun}/1`, other]]) });
    answerJudge(true);
    await settled();
    expect(stand.at(1)).toEqual(['mask']);
  }
});

it('where judges differ, where there is none, and on a range, nothing is decided and the reason is said', async () => {
  moveCursor(3);
  answerJudge(true);
  expect(toasts()).toEqual(['Judges differ on step 3: set a label yourself']);
  moveCursor(4);
  answerJudge(false);
  expect(toasts()).toEqual(['No judge has voted on step 4']);
  moveCursor(1);
  toggleRange();
  moveCursor(2);
  answerJudge(true);
  expect(toasts()).toEqual(['Select one step to agree or disagree with its judge']);
  await settled();
  expect(stand.entries).toEqual([]);
});

it('a hard mask that the judge would keep still asks for a person’s reason', () => {
  moveCursor(5);
  answerJudge(true);
  expect(useLabels.getState().lift).toEqual({ run: testRun, step: 5 });
  expect(stand.entries).toEqual([]);
});

it('one of several judges is answered by its own verdict', async () => {
  moveCursor(3);
  answerVote({ value: 'keep', reason: 'sound' }, false);
  await settled();
  expect(stand.at(3)).toEqual(['mask']);
});
