import type { Author } from '@shared/log/annotations';
import type { NewEvent } from '@shared/log/events';
import { ulid } from 'ulid';
import { expect, onTestFinished, test } from 'vitest';
import { alice, bob, createRun, RunWriter } from '../testing/run-writer';
import { temporaryFolder, testStore } from '../testing/store-fixtures';
import type { Store, StoreReader } from './api';
import { openDatabase } from './file/database';
import { workspaceFile } from './file/workspace-file';
import { readerIn } from './queries/answers';
import { openReads } from './queries/reads';

/** What the watches of a driver record while something takes long. */
function watched(count: number, computer = 'local'): NewEvent[] {
  return Array.from({ length: count }, (_, since) => ({
    kind: 'gpu.changed',
    body: { computer, state: since % 2 === 0 ? 'idle' : 'busy', gpus: [], since },
  }));
}

async function startedRun(store: Store): Promise<RunWriter> {
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  return writer;
}

function change(folder: string, sql: string): void {
  const db = openDatabase(workspaceFile(folder));
  db.exec(sql);
  db.close();
}

test('all sessions of a run are listed, the newest as well as the oldest', async () => {
  const store = testStore();
  const { run } = await startedRun(store);
  const opened = Array.from({ length: 2_100 }, (_, index): NewEvent => {
    const body = { computer: 'local', session: `s${index}`, uid: `u${index}`, rows: 24, cols: 80 };
    return { kind: 'session.opened', body };
  });
  await store.writer.append(run, 1, opened);
  const sessions = await store.reader.sessions(run);
  expect(sessions.map(({ uid }) => uid)).toEqual(opened.map((_, index) => `u${index}`));
});

test('every busy session is named, so that one on a GPU is never left out', async () => {
  const store = testStore();
  const writer = await startedRun(store);
  const names = Array.from({ length: 25 }, (_, index) => `s${String(index).padStart(2, '0')}`);
  for (const session of names) {
    const body = { computer: 'local', session, uid: session, rows: 24, cols: 80 };
    const opened: NewEvent = { kind: 'session.opened', body: body };
    await writer.command('python train.py', 'started', { events: [opened], data: { session, async: true } });
  }
  const { runningOn } = await store.reader.run(writer.run);
  expect(runningOn.map(({ session }) => session)).toEqual(names);
});

test('the prompt of a step is that of the request that was answered, however long it took', async () => {
  const store = testStore();
  const writer = await startedRun(store);
  await writer.request();
  const first = await store.reader.prompt(writer.run, 1);
  await writer.record(watched(1_200));
  const again = {
    step: 1,
    attempt: 2,
    sha256: 'f'.repeat(64),
    bytes: 1,
    messages: 2,
    tokensEstimate: 100,
    tail: '',
  };
  await writer.record([{ kind: 'model.requested', body: again }]);
  expect((await store.reader.prompt(writer.run, 1)).sha256).toBe(again.sha256);
  await writer.answer('Yes', 'think', { thought: 'Hm.' });
  expect((await store.reader.prompt(writer.run, 1)).sha256).toBe(again.sha256);
  expect(first.sha256).not.toBe(again.sha256);
});

test('a step that took long shows its observation and is found by it', async () => {
  const store = testStore();
  const writer = await startedRun(store);
  await writer.answer('I will train', 'run_command', { command: 'python train.py', session_id: 'main' });
  await writer.record(watched(2_500));
  await writer.observe('the loss is 0.25, converged');
  const { observations, offsets } = await store.reader.step(writer.run, 1);
  expect(observations[0]).toMatchObject({ ok: true, text: 'the loss is 0.25, converged' });
  expect(offsets).toEqual({ 'local:main': 10 });
  await store.drain();
  expect(await store.reader.stepsMatching(writer.run, 'converged')).toEqual([1]);
  expect((await store.reader.heads(writer.run, 1, 1))[0]?.after).toHaveLength(2_500);
});

test('a step with more text than a page of events holds shows what was observed', async () => {
  const store = testStore();
  const writer = await startedRun(store);
  const large = 'x'.repeat(1_000_000);
  const files = Array.from({ length: 10 }, (_, index): NewEvent => {
    const body = { step: 1, call: 0, computer: 'local', path: `/tmp/w/${index}`, before: null, after: null };
    const text = `${index}${large}`;
    return {
      kind: 'file.changed',
      body: { ...body, size: text.length, beforeText: null, text, by: 'shell' },
    };
  });
  await writer.command('git checkout other', 'switched branches', { events: files });
  expect((await store.reader.step(writer.run, 1)).observations[0]?.text).toBe('switched branches');
  await store.drain();
  expect(await store.reader.stepsMatching(writer.run, 'switched')).toEqual([1]);
});

test('what each computer last said of its GPUs counts, however often another one spoke since', async () => {
  const store = testStore();
  const writer = await startedRun(store);
  await writer.command('ls', 'a', { events: [...watched(1, 'quiet'), ...watched(150, 'busy')] });
  const { gpus } = await store.reader.evidence(writer.run, 1);
  expect(gpus.map(({ computer, state }) => [computer, state]).sort()).toEqual([
    ['busy', 'busy'],
    ['quiet', 'idle'],
  ]);
});

test('the newest assignment counts, however many came before it', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const writer = await startedRun(store);
  await writer.command('ls', 'a');
  await writer.command('ls', 'a');
  const assign = (to: Author, step: number) =>
    store.writer.annotate(
      alice,
      { run: writer.run, from: step, to: step },
      { op: 'assign', batch: ulid(), to, blind: false, on: true },
    );
  await assign(alice, 1);
  change(
    folder,
    `WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 5100)
     INSERT INTO annotation (ulid, run, author, op, undoes, device, device_seq, purged, body, hash)
     SELECT printf('01J%023d', i), run, author, op, undoes, 'another', i, purged, body, hash FROM annotation, n`,
  );
  await assign(bob, 2);
  expect((await store.reader.queueView(bob, null)).total).toBe(1);
});

/** A workspace that says there are so many runs more like its first. */
function multiply(folder: string, runs: number): void {
  change(
    folder,
    `WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${runs})
     INSERT INTO run (id, ulid, created_at) SELECT i, printf('01J%023d', i), 1 FROM n;
     INSERT INTO run_head (run, seq, hash, epoch, changed_at, rule_version, rule_seq, facts, state)
     SELECT r.id, h.seq, h.hash, h.epoch, h.changed_at, h.rule_version, h.rule_seq, h.facts, h.state
     FROM run r, run_head h WHERE h.run = 1 AND r.id > 1;
     INSERT INTO event (id, version, kind, at, epoch, purged, body, hash)
     SELECT e.id + (r.id - 1) * 4294967296, e.version, e.kind, e.at, e.epoch, e.purged, e.body, e.hash
     FROM run r, event e WHERE r.id > 1`,
  );
}

function readerOf(folder: string): StoreReader {
  const { reads, close } = openReads(folder);
  onTestFinished(close);
  return readerIn({ read: reads }, async () => undefined);
}

test('a workspace of many runs lists all of them, the oldest too', async () => {
  const folder = temporaryFolder();
  const first = testStore(folder);
  const { run } = await startedRun(first);
  await first.close();
  multiply(folder, 10_050);
  const runs = await readerOf(folder).runs();
  expect(runs).toHaveLength(10_050);
  expect(runs.at(-1)?.id).toBe(run);
}, 120_000);

test('a report says what every run did', async () => {
  const folder = temporaryFolder();
  const first = testStore(folder);
  await startedRun(first);
  await first.close();
  multiply(folder, 1_010);
  expect(await readerOf(folder).attentionReport(0, Date.now() + 1_000)).toHaveLength(1_010);
}, 120_000);
