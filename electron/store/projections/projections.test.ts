import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deeds, liveThrough } from '../../testing/random-run';
import { alice, bob, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { openDatabase } from '../file/database';
import { workspaceFile } from '../file/workspace-file';
import { indexFile } from '../search/search-file';
import type { StepProjector } from './step-projector';

test('whatever happens to runs, what is kept beside the logs equals a rebuild from them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deeds, { minLength: 1, maxLength: 2 }), async (lives) => {
      const store = testStore();
      for (const life of lives) {
        await liveThrough(store, life);
      }
      await store.drain();
      const report = await store.reader.verify();
      expect(report.workspace).toEqual([]);
      expect(report.runs.flatMap(({ problems }) => problems)).toEqual([]);
      await store.close();
    }),
    { numRuns: process.env.WAYMARK_FULL === '1' ? 200 : 30 },
  );
}, 300_000);

test('projections of another version are derived again when the workspace is opened', async () => {
  for (const life of fc.sample(deeds, { numRuns: 8, seed: 3 })) {
    const folder = temporaryFolder();
    const store = testStore(folder);
    const run = await liveThrough(store, life);
    const before = await store.reader.heads(run, 1, 100);
    await store.close();
    const db = openDatabase(workspaceFile(folder));
    db.exec(`UPDATE run_head SET state = '{"version":0}', facts = '{}', rule_seq = 0`);
    db.exec("UPDATE step_head SET title = 'as an older version made it', label = 0");
    db.exec('DELETE FROM note; DELETE FROM tile; DELETE FROM hint; DELETE FROM mark');
    db.close();
    const second = testStore(folder);
    expect(await second.reader.heads(run, 1, 100)).toEqual(before);
    const report = await second.reader.verify();
    expect([...report.workspace, ...report.runs.flatMap(({ problems }) => problems)]).toEqual([]);
    await second.close();
  }
});

test('the search index filled as steps come equals one filled afterwards', async () => {
  const [life = []] = fc.sample(deeds, { numRuns: 1, seed: 7 });
  const folder = temporaryFolder();
  const store = testStore(folder);
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  for (let step = 1; step <= 12; step += 1) {
    await writer.command(`echo word${step} shared`, `seen ${step}`, { exitCode: 0 });
    await store.drain();
  }
  await liveThrough(store, life);
  await store.drain();
  const words = ['shared', 'word7', 'seen', 'ls', 'python', 'long', '学'];
  const look = async (from: typeof store) =>
    Promise.all(
      words.map((query) => from.reader.search({ run, query, from: { step: 1, direction: 1 }, limit: 50 })),
    );
  const live = await look(store);
  await store.close();
  const index = openDatabase(indexFile(folder));
  index.exec("UPDATE about SET value = 'another version'");
  index.close();
  const second = testStore(folder);
  await second.drain();
  expect(await look(second)).toEqual(live);
  expect(live[0]?.total).toBe(12);
});

test('rules of another version are derived again in the background', async () => {
  const rule = (version: string, effect: 'mask' | 'keep'): StepProjector => ({
    wordsOf: () => ({}),
    inForce: () => ({ version, precedence: 'union' }),
    start: () => ({
      apply: (event) =>
        event.kind === 'action.observed' && event.body.step % 2 === 0
          ? [
              {
                step: event.body.step,
                verdict: { rule: 'even', version: 1, effect, hard: false, why: 'even', steps: [] },
              },
            ]
          : [],
    }),
  });
  const folder = temporaryFolder();
  const store = testStore(folder, { projector: rule('1', 'mask') });
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  for (let step = 1; step <= 4; step += 1) {
    await writer.command('ls', 'a', { exitCode: 0 });
  }
  const labels = async (from: typeof store) =>
    (await from.reader.heads(run, 1, 4)).map(({ label }) => label.value);
  expect(await labels(store)).toEqual([null, 'mask', null, 'mask']);
  await store.writer.annotate(
    alice,
    { run, from: 4, to: 4 },
    { op: 'label', value: 'train', reason: 'right' },
  );
  await store.close();
  const second = testStore(folder, { projector: rule('2', 'keep') });
  await second.drain();
  expect(await labels(second)).toEqual([null, 'train', null, 'train']);
  expect((await second.reader.run(run)).labels).toMatchObject({ train: 2, mask: 0 });
  // The next step is judged by the new rules inside its own transaction.
  const writer2 = new RunWriter(second, run);
  expect(await second.reader.verify()).toMatchObject({ ok: true });
  expect(writer2.step).toBe(0);
});

test('undo and redo walk through a person’s own decisions, across restarts, without end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('label', 'undo', 'redo', 'other', 'restart'), { minLength: 5, maxLength: 40 }),
      async (moves) => {
        const folder = temporaryFolder();
        let store = testStore(folder);
        const run = await createRun(store);
        const writer = new RunWriter(store, run);
        await writer.start();
        for (let step = 1; step <= 3; step += 1) {
          await writer.command('ls', 'a', { exitCode: 0 });
        }
        // The model: a stack of own decisions and one of those taken back.
        const done: { step: number; value: 'train' | 'mask' }[] = [];
        const taken: typeof done = [];
        for (const [index, move] of moves.entries()) {
          if (move === 'label') {
            const label = {
              step: (index % 3) + 1,
              value: index % 2 === 0 ? ('train' as const) : ('mask' as const),
            };
            const target = { run, from: label.step, to: label.step };
            await store.writer.annotate(alice, target, { op: 'label', value: label.value, reason: null });
            done.push(label);
            taken.length = 0;
          } else if (move === 'undo') {
            const undone = await store.writer.undo(run, alice);
            const expected = done.pop();
            expect(undone?.undid.target.from).toBe(expected?.step);
            taken.push(...(expected === undefined ? [] : [expected]));
          } else if (move === 'redo') {
            const redone = await store.writer.redo(run, alice);
            const expected = taken.pop();
            expect(redone?.redid.target.from).toBe(expected?.step);
            done.push(...(expected === undefined ? [] : [expected]));
          } else if (move === 'other') {
            await store.writer.annotate(bob, { run, from: 1, to: 3 }, { op: 'comment', text: 'noise' });
          } else {
            await store.close();
            store = testStore(folder);
          }
          const heads = await store.reader.heads(run, 1, 3);
          for (const { step, label } of heads) {
            expect(label.value).toBe(done.filter((entry) => entry.step === step).at(-1)?.value ?? null);
          }
        }
        expect(await store.reader.verify()).toMatchObject({ ok: true });
        await store.close();
      },
    ),
    { numRuns: 12 },
  );
}, 120_000);

test('a range of ten thousand steps is one entry; labels, undo and tiles follow', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('ls', 'a', { exitCode: 0 });
  await store.close();
  // Heads are copied by hand: ten thousand real steps would only take longer.
  const db = openDatabase(workspaceFile(folder));
  db.exec(`INSERT INTO step_head (id, seq0, seq1, at, ulid, segment, kind, tool, title, observation, bytes, flags, marks, guards)
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
    SELECT id + i, seq0, seq1, at, ulid, segment, kind, tool, title, observation, bytes, flags, marks, guards FROM step_head, n`);
  db.exec(`UPDATE run_head SET state = json_set(state, '$.steps', 10000)`);
  db.close();
  const second = testStore(folder);
  await second.writer.annotate(
    alice,
    { run, from: 1, to: 10_000 },
    { op: 'label', value: 'train', reason: null },
  );
  expect(await second.reader.countMatches(run, { label: ['train'] })).toBe(10_000);
  expect(await second.reader.annotations(run)).toHaveLength(1);
  await second.writer.annotate(
    alice,
    { run, from: 5000, to: 5000 },
    { op: 'label', value: 'mask', reason: null },
  );
  await second.writer.undo(run, alice);
  await second.writer.undo(run, alice);
  expect(await second.reader.countMatches(run, { label: ['undecided'] })).toBe(10_000);
  expect((await second.reader.run(run)).labels).toEqual({
    train: 0,
    mask: 0,
    undecided: 10_000,
    disagreement: 0,
  });
});
