import { type QueueClass, queueClassOf } from '@shared/labels/review/queue-views';
import { expect, test } from 'vitest';
import { Reviewers, runOf } from '../../../testing/review-stand';
import { alice, bob, createRun, RunWriter } from '../../../testing/run-writer';
import { testStore } from '../../../testing/store-fixtures';
import type { Store } from '../../api';

/** The whole queue of a person from its first item, each as "run:step class place/of"; ends where it comes round. */
async function walk(store: Store, who = alice, open: string | null = null, direction: 1 | -1 = 1) {
  const seen: string[] = [];
  const runs = (await store.reader.runs()).map(({ id }) => id).sort();
  let from: { run: string; step: number; class: QueueClass | null } | null = null;
  for (;;) {
    const item = await store.reader.queueNext(who, open, from, direction);
    if (item === null) return seen;
    const place = item.place === null ? '' : ` ${item.place}/${item.of}`;
    const line = `${runs.indexOf(item.run) + 1}:${item.step} ${item.class}${place}`;
    if (seen.includes(line)) return seen;
    seen.push(line);
    from = item;
  }
}

test('an unassigned run is everybody’s: disagreements first, then open, then unconfirmed, then the rest', async () => {
  const store = testStore();
  const run = await runOf(store, 9, [2, 4, 6]);
  const people = new Reviewers(store);
  await people.label(bob, run, 2, 'train'); // a person settled what the machine says
  await people.label(bob, run, 9, 'train'); // decided by somebody else
  await people.judge('J', run, 3, 'mask');
  await people.judge('K', run, 3, 'keep'); // judges differ
  await people.judge('J', run, 4, 'keep'); // rule against judge
  await people.judge('J', run, 5, 'keep', 0.5); // in doubt
  await people.judge('J', run, 7, 'keep', 0.9);
  await people.say(bob, run, 7, { op: 'flag', on: true });
  await store.drain();
  const order = [
    ...['1:3 disagreement 1/2', '1:4 disagreement 2/2'],
    '1:5 unsure',
    ...['1:1 open', '1:7 open', '1:8 open'],
    '1:6 unconfirmed',
    ...['1:2 rest', '1:9 rest'],
  ];
  expect(await walk(store, alice, run)).toEqual(order);
  // Backwards it begins with the most urgent as well, and goes round.
  const back = [...order].reverse();
  expect(await walk(store, alice, run, -1)).toEqual([...back.slice(7), ...back.slice(0, 7)]);
  expect(await store.reader.queueView(alice, run)).toMatchObject({
    total: 9,
    decided: 0,
    left: { disagreement: 2, unsure: 1, open: 3, unconfirmed: 1, rest: 2 },
    runs: [{ run, assigned: false, blind: 0 }],
  });
  // The filter, the run's counts and the queue count the same open disagreements.
  expect(await store.reader.countMatches(run, { marks: ['disagreement'] })).toBe(2);
  // Every row says the same of itself as the queue.
  const heads = await store.reader.heads(run, 1, 9);
  const classes = heads.map((head) => `1:${head.step} ${queueClassOf(head, alice.uuid)}`).sort();
  expect(classes).toEqual(order.map((line) => line.replace(/ [0-9/]+$/, '')).sort());
});

test('what a person has decided leaves their queue, unless people differ about it', async () => {
  const store = testStore();
  const run = await runOf(store, 4, [1]);
  const people = new Reviewers(store);
  await people.label(alice, run, 1, 'train'); // against the rule: her word, and done
  await people.label(alice, run, [2, 3], 'train');
  await people.label(bob, run, 3, 'mask');
  await store.drain();
  expect(await walk(store, alice, run)).toEqual(['1:3 disagreement 1/1', '1:4 open']);
  expect((await store.reader.queueView(alice, run)).decided).toBe(3);
  await people.say(alice, run, 3, { op: 'adjudicate', value: 'mask', reason: null });
  await people.label(alice, run, 4, 'mask');
  await store.drain();
  expect(await walk(store, alice, run)).toEqual([]);
  expect(await store.reader.queueNext(alice, run, { run, step: 2, class: null }, 1)).toBeNull();
  // Bob has not confirmed what she did alone.
  expect(await walk(store, bob, run)).toEqual([...['1:1 rest', '1:2 rest', '1:4 rest']]);
});

test('a TRAIN that does not lift a hard mask is a decision of that person; the others see that it is at odds', async () => {
  const store = testStore();
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('echo 1', 'said 1');
  await writer.command('cat none', 'No such file', { ok: false });
  const people = new Reviewers(store);
  await people.label(alice, run, 2, 'train');
  await store.drain();
  const [head] = await store.reader.heads(run, 2, 2);
  expect(head).toMatchObject({ label: { value: 'mask', source: 'rule' }, decided: [alice.uuid] });
  expect(await walk(store, alice, run)).toEqual(['1:1 open']);
  expect(await store.reader.queueView(alice, run)).toMatchObject({ decided: 1, left: { disagreement: 0 } });
  expect(await walk(store, bob, run)).toEqual(['1:2 disagreement 1/1', '1:1 open']);
  await people.say(alice, run, 2, { op: 'label', value: 'train', reason: 'keep-debugging' });
  await store.drain();
  expect((await store.reader.heads(run, 2, 2))[0]?.label).toMatchObject({ value: 'train', source: 'human' });
  expect(await walk(store, bob, run)).toEqual(['1:1 open', '1:2 rest']);
});

test('the queue goes across the runs assigned to a person, and no further than their part', async () => {
  const store = testStore();
  const people = new Reviewers(store);
  const first = await runOf(store, 6, [5]);
  const second = await runOf(store, 6, [2]);
  await runOf(store, 3);
  await people.assign(alice, first, [
    { from: 1, to: 2 },
    { from: 5, to: 6 },
  ]);
  await people.assign(alice, second, [{ from: 2, to: 3 }]);
  await people.assign(bob, second, [{ from: 4, to: 6 }]);
  await people.judge('J', second, 3, 'keep', 0.1);
  await store.drain();
  expect(await walk(store)).toEqual([
    '2:3 unsure',
    ...['1:1 open', '1:2 open', '1:6 open'],
    ...['1:5 unconfirmed', '2:2 unconfirmed'],
  ]);
  // An open run that is somebody's changes nothing; nobody else's steps are hers.
  expect(await walk(store, alice, second)).toEqual(await walk(store));
  expect((await store.reader.queueView(alice, second)).runs.map(({ total }) => total)).toEqual([4, 2]);
  expect((await walk(store, bob)).length).toBe(3);
});

test('from a place that is no item the queue leads to the most urgent one, the nearest first', async () => {
  const store = testStore();
  const run = await runOf(store, 8);
  const people = new Reviewers(store);
  for (const step of [2, 6]) await people.judge('J', run, step, 'keep', 0.1);
  await store.drain();
  const next = async (step: number, direction: 1 | -1) =>
    (await store.reader.queueNext(alice, run, { run, step, class: null }, direction))?.step;
  expect(await next(4, 1)).toBe(6);
  expect(await next(4, -1)).toBe(2);
  expect(await next(7, 1)).toBe(2);
  expect(await next(1, -1)).toBe(6);
});

test('a batch that was taken back, or undone, is nobody’s any more', async () => {
  const store = testStore();
  const run = await runOf(store, 4);
  const people = new Reviewers(store);
  const assigned = await people.assign(bob, run, [{ from: 1, to: 4 }]);
  expect(
    (await store.reader.batches()).map(({ steps, people: who }) => [steps, who[0]?.person.name]),
  ).toEqual([[4, 'Bob']]);
  expect(await store.reader.queueView(alice, run)).toMatchObject({ runs: [], total: 0 });
  const { body, target } = assigned;
  if (body.op !== 'assign') throw new Error('an assignment');
  await store.writer.annotate(bob, { ...target, to: 2 }, { ...body, on: false });
  expect((await store.reader.queueView(bob, run)).total).toBe(2);
  // The undo of labels passes it over; by its name it is undone.
  expect(await store.writer.undo(run, alice)).toBeNull();
  const undone = await store.writer.undo(run, alice, assigned.ulid);
  expect(undone?.undid.ulid).toBe(assigned.ulid);
  expect(await store.reader.batches()).toEqual([]);
  expect((await store.reader.queueView(bob, null)).total).toBe(0);
  expect(await store.writer.redo(run, alice)).toBeNull();
});

test('blind steps are open until they are decided, whatever others say of them', async () => {
  const store = testStore();
  const run = await runOf(store, 4, [2, 3]);
  const people = new Reviewers(store);
  await people.assign(bob, run, [{ from: 1, to: 3 }], { blind: true });
  await people.label(alice, run, [1, 4], 'train');
  await people.judge('J', run, 3, 'keep');
  await store.drain();
  expect(await walk(store, bob)).toEqual(['1:1 open', '1:2 open', '1:3 open']);
  expect((await store.reader.queueView(bob, null)).runs[0]).toMatchObject({ blind: 3, total: 3 });
  await people.label(bob, run, 1, 'train');
  await people.label(bob, run, 2, 'mask');
  await store.drain();
  expect(await walk(store, bob)).toEqual(['1:2 disagreement 1/1', '1:3 open']);
});
