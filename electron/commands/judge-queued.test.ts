import type { JudgeQueue } from '@shared/contract/judge-views';
import { settingsSchema } from '@shared/contract/settings';
import { expect, onTestFinished, test } from 'vitest';
import { JudgeJobs } from '../judging/judge-jobs';
import { readRubrics } from '../judging/rubric';
import { resourcesDir } from '../testing/agent-host/agent-setup';
import { begunBatch } from '../testing/begun-batch';
import { Reviewers, runOf } from '../testing/review-stand';
import { alice, bob, createdBody } from '../testing/run-writer';
import { temporaryFolder, testStore } from '../testing/store-fixtures';
import { type Workbench, WorkbenchHolder } from '../workbench';
import { judgeHandlers } from './judging';
import { ViewerHolder } from './viewer-holder';

const RUNS = 34;

test('every run of a batch is looked at, one that was removed is passed over, and nobody is told of steps they decide blind', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const people = new Reviewers(store);
  const runs: string[] = [];
  for (let at = 1; at <= RUNS; at += 1) runs.push(await runOf(store, 2, [2]));
  const [first = '', second = ''] = runs;
  const last = runs.at(-1) ?? '';
  await people.judge('strict', last, 1, 'keep', 0.3);
  await people.judge('strict', last, 2, 'keep');
  await people.judge('strict', second, 2, 'keep');
  await store.drain();
  const judge = {
    name: 'strict',
    model: createdBody(first).model,
    rubrics: await readRubrics(resourcesDir, null),
  };
  const { id: batch } = await begunBatch(store, judge, { runs });
  await people.assign(bob, second, [{ from: 1, to: 2 }], { blind: true });
  await store.writer.remove(first, 'run', alice);
  const judging = new JudgeJobs({
    store,
    settings: { current: settingsSchema.parse({}) },
    resourcesDir,
    findKey: () => null,
    log: { info: () => undefined, error: (message) => expect.fail(message) },
  });
  onTestFinished(() => judging.close());
  const holder = new WorkbenchHolder(
    async () => ({ folder, store, judging }) as Partial<Workbench> as Workbench,
  );
  await holder.open(folder);
  const queuedFor = (viewer: typeof alice, queue: JudgeQueue) =>
    judgeHandlers(new ViewerHolder(holder, () => viewer), () => viewer)['judge.queued']({ batch, queue });
  expect(await queuedFor(alice, 'differs')).toEqual({ count: 2, run: second });
  // The only one that is left lies beyond the first thirty runs.
  expect(await queuedFor(bob, 'differs')).toEqual({ count: 1, run: last });
  expect(await queuedFor(alice, 'unsure')).toEqual({ count: 1, run: last });
});
