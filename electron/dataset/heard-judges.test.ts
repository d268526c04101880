import { EntryMaker, reward, vote } from '@shared/log/annotation-fixtures';
import { RunScript } from '@shared/runs/run-fixtures';
import { expect, test } from 'vitest';
import { MemoryReader } from '../testing/memory-reader';
import { planExport } from './export-plan';
import { manifestText } from './manifest';
import { labelIn, maskIn } from './variant-labels';

const run = '01KRVN00000000000000000001';
const think = { name: 'think', args: { thought: 'hm' } };

/** Strict masks step 1, lenient masks step 2, and a person settles step 3; both rate the first step. */
function reader(): MemoryReader {
  const script = new RunScript(run).startSegment();
  for (let step = 1; step <= 4; step += 1) script.answer([think]);
  const strict = new EntryMaker('strict', 's', run);
  const lenient = new EntryMaker('lenient', 'l', run);
  return new MemoryReader(new Map([[run, script.events]]), [
    strict.entry(1, vote('mask')),
    strict.entry(2, vote('keep')),
    lenient.entry(1, vote('keep')),
    lenient.entry(2, vote('mask')),
    lenient.entry(3, vote('mask')),
    new EntryMaker('Ada', 'a', run).label(3, 'train'),
    strict.entry(1, reward(-1)),
    lenient.entry(1, reward(1)),
  ]);
}

async function heard(...judges: string[]) {
  const plan = await planExport(reader(), {
    format: 'slime',
    undecided: 'train',
    variants: ['all', 'judge'],
    ...(judges.length === 0 ? {} : { filter: { judges } }),
  });
  const steps = plan.runs[0]?.segments.flatMap((segment) => segment.steps) ?? [];
  return {
    plan,
    all: steps.map((step) => maskIn(step, 'all', 'train')),
    judge: steps.map((step) => labelIn(step, 'judge').value),
    votes: steps.map((step) => step.judges.map((each) => each.judge)),
    rewards: steps[0]?.rewards.map((each) => each.judge),
  };
}

test('of several judges only those that are named make masks and rewards; people and rules are heard as ever', async () => {
  expect(await heard()).toMatchObject({ all: [0, 0, 1, 1], judge: ['mask', 'mask', 'mask', null] });
  const strict = await heard('strict');
  expect(strict).toMatchObject({
    all: [0, 1, 1, 1],
    judge: ['mask', 'train', null, null],
    votes: [['strict'], ['strict'], [], []],
    rewards: ['strict'],
  });
  expect(await heard('lenient')).toMatchObject({
    all: [1, 0, 1, 1],
    judge: ['train', 'mask', 'mask', null],
    rewards: ['lenient'],
  });
  expect((await heard('strict', 'lenient')).all).toEqual((await heard()).all);
  // No row is taken out, and the manifest says whose votes count.
  expect(strict.plan.filtered).toEqual([]);
  const facts = { argumentsForm: 'string', redaction: { mode: 'off' }, notAsSent: 0, dropped: new Map() };
  const manifest = JSON.parse(manifestText(strict.plan, { ...facts, files: [] } as never));
  expect(manifest.filter).toEqual({ asked: { judges: ['strict'] }, removed: [] });
});

test('a name that nobody voted under is refused, so that no vote is left out unseen', async () => {
  await expect(heard('strict', 'strikt')).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringMatching(/No judge called "strikt" has voted/),
  });
});
