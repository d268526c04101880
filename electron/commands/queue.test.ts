import { settingsSchema } from '@shared/contract/settings';
import { expect, test } from 'vitest';
import { TerminalPump } from '../ipc/terminal-pump';
import { Reviewers, runOf } from '../testing/review-stand';
import { alice, bob } from '../testing/run-writer';
import { testStore } from '../testing/store-fixtures';
import { type Workbench, WorkbenchHolder } from '../workbench';
import { workspaceHandlers } from './workspace-handlers';

const SECRET = 'SECRET-OPINION';
const chen = { uuid: '6f1c1f0a-3333-4333-8333-333333333333', name: SECRET };

/** The handlers of one person's window over a real store. */
async function windowOf(store: ReturnType<typeof testStore>, author = bob) {
  const holder = new WorkbenchHolder(async () => ({ folder: store.folder, store }) as unknown as Workbench);
  await holder.open(store.folder);
  return workspaceHandlers({
    holder,
    author: () => author,
    settings: () => settingsSchema.parse({}),
    pump: new TerminalPump({ publish: () => undefined }),
    resourcesDir: '',
  });
}

test('what a window is sent of blind steps is nobody’s opinion, whichever command asks', async () => {
  const store = testStore();
  const run = await runOf(store, 6, [4]);
  const people = new Reviewers(store);
  await people.assign(bob, run, [{ from: 2, to: 5 }], { blind: true });
  await people.label(chen, run, [2, 3], 'mask');
  await people.say(chen, run, 4, { op: 'comment', text: SECRET });
  await people.judge(SECRET, run, 5, 'mask', 0.1);
  await store.drain();
  const window = await windowOf(store);
  const answers: unknown[] = [
    await window['runs.list'](undefined),
    await window['runs.summary']({ run }),
    await window['timeline.heads']({ run, from: 1, to: 6 }),
    await window['timeline.tiles']({ run }),
    await window['timeline.segments']({ run }),
    await window['timeline.facets']({ run }),
    await window['timeline.matches']({ run, query: { source: ['judge', 'human', 'rule'] } }),
    await window['timeline.count']({ run, query: { label: ['mask'] } }),
    await window['step.detail']({ run, step: 3 }),
    await window['step.labels']({ run, step: 5 }),
    await window['labels.rest']({ run, from: 1, to: 6 }),
    await window['queue.view']({ run }),
    await window['queue.next']({ run, from: null, direction: 1 }),
    await window['labels.flag']({ run, step: 3, on: true }),
  ];
  expect(JSON.stringify(answers)).not.toContain(SECRET);
  expect(answers.slice(6, 8)).toEqual([{ steps: [] }, { total: 0 }]);
  expect(answers.at(-1)).toMatchObject({ supersedes: [] });
  expect(await window['queue.people']({ runs: [run] })).toMatchObject({ pairs: [] });
  // Others are not blind, and neither is who has decided.
  expect(JSON.stringify(await (await windowOf(store, alice))['step.labels']({ run, step: 5 }))).toContain(
    SECRET,
  );
  await window['labels.apply']({ run, from: 3, to: 3, value: 'mask', reason: null });
  expect(await window['step.labels']({ run, step: 3 })).toEqual((await store.reader.step(run, 3)).labels);
});

test('a plan is written as it was looked at, or not at all', async () => {
  const store = testStore();
  const run = await runOf(store, 4);
  const window = await windowOf(store, alice);
  const order = {
    runs: [run],
    by: 'run' as const,
    people: [alice, bob],
    overlap: 1,
    blind: 'both' as const,
  };
  const { digest, people } = await window['queue.plan'](order);
  expect(people.map(({ first, second, blind }) => [first, second, blind])).toEqual([
    [4, 0, 4],
    [0, 4, 4],
  ]);
  await expect(window['queue.assign']({ ...order, overlap: 0, digest })).rejects.toMatchObject({
    code: 'conflict',
  });
  expect(await window['queue.batches'](undefined)).toEqual([]);
  const { batch } = await window['queue.assign']({ ...order, digest });
  expect(await window['queue.batches'](undefined)).toMatchObject([{ batch, steps: 4, runs: [run] }]);
  expect(await window['queue.view']({ run })).toMatchObject({
    total: 4,
    runs: [{ assigned: true, blind: 4 }],
  });
  await window['queue.takeBack']({ batch });
  expect(await window['queue.view']({ run })).toMatchObject({ runs: [{ assigned: false }] });
});

test('times stay with the person', async () => {
  const store = testStore();
  const run = await runOf(store, 30);
  const mine = await windowOf(store, alice);
  for (let step = 1; step <= 25; step += 1) {
    await mine['review.dwell']({ run, step, ms: 300, class: 'unconfirmed', agreed: true });
  }
  await mine['review.dwell']({ run, step: 26, ms: 9_000, class: 'disagreement', agreed: false });
  expect(await mine['review.pace'](undefined)).toMatchObject({
    decisions: 26,
    medianMs: 300,
    streaks: [{ run, from: 1, to: 25, n: 25 }],
  });
  expect(await (await windowOf(store, bob))['review.pace'](undefined)).toMatchObject({
    decisions: 0,
    streaks: [],
  });
  await mine['labels.apply']({ run, from: 1, to: 1, value: 'train', reason: null });
  const row = (await mine['queue.people']({ runs: [run] })).rows[0];
  expect(row).toMatchObject({ decided: 1, times: null });
  await mine['labels.apply']({ run, from: 2, to: 2, value: 'train', reason: null, dwellMs: 700 });
  expect((await mine['queue.people']({ runs: [run] })).rows[0]?.times).toMatchObject({ medianMs: 700 });
  await store.writer.remove(run, 'run', alice);
  expect(await mine['review.pace'](undefined)).toMatchObject({ decisions: 0 });
});
