import { expect, test } from 'vitest';
import { alice, bob, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';

async function runOf(store: Store, steps: number): Promise<string> {
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  for (let step = 1; step <= steps; step += 1) {
    const [tool, exitCode] = step % 3 === 0 ? ['edit_file', 0] : ['run_command', step % 4 === 0 ? 1 : 0];
    await writer.command(`c${step}`, 'out', { tool: `${tool}`, exitCode: Number(exitCode) });
  }
  return writer.run;
}

const values = async (store: Store, run: string) =>
  (await store.reader.heads(run, 1, 200)).map(({ label }) => label.value ?? '-').join(' ');

test('a decision about steps that lie apart is one entry and one undo, also after a restart; a scattered one over a long run is worked off in pieces', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const run = await runOf(store, 160);
  const before = await values(store, run);
  const parts = Array.from({ length: 80 }, (_, index) => ({ from: index * 2 + 1, to: index * 2 + 1 }));
  const target = { run, from: 1, to: 159, parts };
  // More parts than one transaction takes, under a range that somebody else gave.
  await store.writer.annotate(bob, { run, from: 1, to: 160 }, { op: 'label', value: 'mask', reason: null });
  const entry = await store.writer.annotate(alice, target, { op: 'label', value: 'train', reason: 'r' });
  expect(entry.target).toEqual(target);
  expect(entry.supersedes).toHaveLength(1);
  const labelled = await store.reader.heads(run, 1, 160);
  expect(labelled.filter(({ by }) => by.includes('Alice')).map(({ step }) => step)).toEqual(
    parts.map(({ from }) => from),
  );
  expect(labelled[0]?.marks).toEqual(['disagreement', 'humans_differ']);
  expect((await store.reader.step(run, 2)).labels.history).toHaveLength(1);
  expect((await store.reader.step(run, 3)).labels.history).toHaveLength(2);
  await store.drain();
  expect(await store.reader.verify()).toMatchObject({ ok: true });
  await store.close();

  const again = testStore(folder);
  expect(await again.writer.undo(run, alice)).toMatchObject({ undid: { ulid: entry.ulid, target } });
  expect(await again.writer.undo(run, bob)).toMatchObject({ undid: { target: { from: 1, to: 160 } } });
  expect(await values(again, run)).toBe(before);
  expect(await again.writer.redo(run, alice)).toMatchObject({ redid: { ulid: entry.ulid, target } });
  expect((await again.reader.heads(run, 1, 2)).map(({ decided }) => decided)).toEqual([[alice.uuid], []]);
  await again.drain();
  expect(await again.reader.verify()).toMatchObject({ ok: true });
});

test('undo names what it took back for every kind of entry, newest first, and redo brings them again', async () => {
  const store = testStore();
  const run = await runOf(store, 4);
  const at = (step: number) => ({ run, from: step, to: step });
  await store.writer.annotate(alice, at(1), { op: 'label', value: 'mask', reason: null });
  await store.writer.annotate(alice, at(1), { op: 'adjudicate', value: 'train', reason: 'r' });
  const correction = { text: 't', call: { name: 'run_command', arguments: '{}' }, note: '' };
  await store.writer.annotate(alice, at(2), { op: 'correct', correction });
  await store.writer.annotate(alice, at(3), { op: 'flag', on: true });
  await store.writer.annotate(alice, at(3), { op: 'comment', text: 'why' });
  const { labels } = await store.reader.step(run, 2);
  expect(labels.corrections).toMatchObject([{ author: alice, correction }]);
  expect((await store.reader.heads(run, 2, 3)).map(({ marks }) => marks)).toEqual([
    ['corrected'],
    ['flagged', 'commented'],
  ]);
  const ops: (string | undefined)[] = [];
  for (let count = 0; count < 6; count += 1) ops.push((await store.writer.undo(run, alice))?.undid.body.op);
  expect(ops).toEqual(['comment', 'flag', 'correct', 'adjudicate', 'label', undefined]);
  for (let count = 0; count < 6; count += 1) ops.push((await store.writer.redo(run, alice))?.redid.body.op);
  expect(ops.slice(6)).toEqual(['label', 'adjudicate', 'correct', 'flag', 'comment', undefined]);
  expect((await store.reader.step(run, 1)).labels).toMatchObject({
    effective: { value: 'train', source: 'adjudication' },
    why: { code: 'adjudicated' },
  });
  await expect(
    store.writer.annotate(alice, { run, from: 1, to: 2 }, { op: 'correct', correction }),
  ).rejects.toMatchObject({ code: 'bad_input' });
  await store.drain();
  expect(await store.reader.verify()).toMatchObject({ ok: true });
});

test('steps like one step, and the rest that no person has decided on', async () => {
  const store = testStore();
  const run = await runOf(store, 24);
  // Exit code 1 at 4, 8, 16 and 20: the rule speaks of them; at 12 and 24 the action is another one.
  const failed = await store.reader.similarSteps(run, 4);
  expect(failed).toMatchObject({
    tool: 'run_command',
    rules: ['command-failed'],
    steps: 4,
    left: 0,
    decided: 0,
  });
  expect(failed.parts.map(({ from }) => from)).toEqual([4, 8, 16, 20]);
  expect(failed.now).toEqual({ train: 0, mask: 4, undecided: 0 });
  const edits = await store.reader.similarSteps(run, 6);
  expect(edits).toMatchObject({ tool: 'edit_file', rules: [], steps: 8 });
  const parts = failed.parts;
  await store.writer.annotate(
    alice,
    { run, from: 4, to: 20, parts },
    { op: 'label', value: 'train', reason: 'r' },
  );
  expect(await store.reader.similarSteps(run, 8)).toMatchObject({ decided: 4, now: { train: 4, mask: 0 } });
  const rest = await store.reader.undecidedSteps(run, 3, 9);
  expect(rest.parts).toEqual([
    { from: 3, to: 3 },
    { from: 5, to: 7 },
    { from: 9, to: 9 },
  ]);
  expect(rest).toMatchObject({ steps: 5, decided: 0, now: { undecided: 5 } });
  await expect(store.reader.similarSteps(run, 99)).rejects.toMatchObject({ code: 'not_found' });
});
