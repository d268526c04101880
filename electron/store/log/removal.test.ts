import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { spentIn } from '@shared/log/event-fixtures';
import type { EventBody } from '@shared/log/events';
import fc from 'fast-check';
import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { deeds, liveThrough } from '../../testing/random-run';
import { alice, createdBody, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { writeSummary } from '../../testing/write-summary';
import type { Store } from '../api';
import { openDatabase } from '../file/database';
import { workspaceFile } from '../file/workspace-file';

async function secretRun(store: Store, secret: string): Promise<string> {
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  const path = '/tmp/w/a';
  await writer.command(`echo ${secret}`, `${secret} ${'filler '.repeat(700)}`, { exitCode: 0 });
  await writer.command(`cat ${path}`, `${secret}${'shared text '.repeat(400)}`, { exitCode: 0 });
  await writer.command('big', 'same in both runs '.repeat(300), { exitCode: 0 });
  await writer.command('bigger', `${secret}${'x'.repeat(300_000)}`, { exitCode: 0 });
  await writer.hint(`hint ${secret}`);
  await writer.command('search', 'none', {
    tool: 'search_dir',
    args: { search_term: secret, dir_path: '/' },
    data: { hits: 0 },
  });
  await writeSummary(writer, {
    segment: 1,
    steps: { from: 1, to: 2 },
    carried: { from: 3, to: 5 },
    text: `Summary ${secret}`,
    observation: `Last ${secret}`,
    missing: [{ kind: 'path', text: `/tmp/${secret}` }],
  });
  const done = { computer: 'box', id: `environment:box:0:${secret}`, title: `Run ${secret}`, message: '' };
  await store.writer.append(run, 1, [{ kind: 'setup.done', body: done }]);
  const chunk = { offset: 0, bytes: Buffer.from(secret), receivedAt: 0, hostAt: null };
  await store.writer.sessionBytes(run, writer.epoch, 'main', chunk);
  await store.writer.annotate(alice, { run, from: 1, to: 3 }, { op: 'label', value: 'train', reason: null });
  return run;
}

/** Every byte that SQLite still keeps as content, and every file beside it. */
function everything(folder: string): string {
  const db = openDatabase(workspaceFile(folder));
  const copy = join(folder, 'copy.db');
  db.exec(`VACUUM INTO '${copy}'`);
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as {
    name: string;
  }[];
  const rows = tables.flatMap(({ name }) => db.prepare(`SELECT * FROM ${name}`).all());
  db.close();
  return JSON.stringify(rows) + readdirSync(folder, { recursive: true }).join(' ');
}

test('a removed run leaves its tombstone; other runs keep the texts they share with it', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const run = await secretRun(store, 'hunter2');
  const other = await secretRun(store, 'swordfish');
  await store.drain();
  await store.writer.remove(run, 'run', alice);
  await store.drain();
  await expect(store.reader.run(run)).rejects.toMatchObject({ code: 'not_found' });
  expect((await store.reader.runs()).map(({ id }) => id)).toEqual([other]);
  expect((await store.reader.step(other, 3)).observations[0]?.text).toContain('same in both runs');
  expect(
    (
      await store.reader.search({
        run: other,
        query: 'swordfish',
        from: { step: 1, direction: 1 },
        limit: 10,
      })
    ).total,
  ).toBeGreaterThan(0);
  const report = await store.reader.verify();
  expect(report).toMatchObject({
    ok: true,
    runs: [
      { id: run, purged: 'run' },
      { id: other, problems: [] },
    ],
  });
  await expect(
    store.writer.append(run, 1, [{ kind: 'hint.undelivered', body: { ids: [] } }]),
  ).rejects.toMatchObject({
    code: 'not_found',
  });
  await store.close();
  expect(everything(folder)).not.toContain('hunter2');
  expect(existsSync(join(folder, 'sessions', run))).toBe(false);
  expect(
    readdirSync(join(folder, 'blobs'), { recursive: true }).filter((name) => String(name).length > 10),
  ).toHaveLength(1);
});

test('purged texts are gone everywhere; counts, labels and hashes stay and verify says purged', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const run = await secretRun(store, 'hunter2');
  await store.drain();
  expect(
    (await store.reader.search({ run, query: 'hunter2', from: { step: 1, direction: 1 }, limit: 10 })).total,
  ).toBeGreaterThan(0);
  const before = await store.reader.run(run);
  await store.writer.remove(run, 'text', alice);
  await store.drain();
  const after = await store.reader.run(run);
  expect(after).toMatchObject({ steps: before.steps, labels: before.labels, events: before.events + 1 });
  const end = 'hunter2'.length;
  expect(await store.reader.readSession(run, 'main', 0, 100)).toMatchObject({ offset: end, endOffset: end });
  expect(
    (await store.reader.search({ run, query: 'hunter2', from: { step: 1, direction: 1 }, limit: 10 })).total,
  ).toBe(0);
  expect(await store.reader.verify()).toMatchObject({
    ok: true,
    runs: [{ id: run, purged: 'text', problems: [] }],
  });
  await store.close();
  expect(everything(folder)).not.toContain('hunter2');
});

test('a branch with checkpoints and changes keeps no word of what was purged', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const parent = await secretRun(store, 'swordfish');
  const run = ulid();
  await store.writer.append(run, 0, [
    { kind: 'run.created', body: { ...createdBody(run), parent: { run: parent, step: 1 } } },
  ]);
  const writer = new RunWriter(store, run);
  await writer.start();
  const [answered, observed] = (await store.reader.events(parent, 1, 100)).flatMap(({ kind, body }) =>
    (kind === 'model.answered' || kind === 'action.observed') && body.step === 1 ? [body] : [],
  ) as [EventBody<'model.answered'>, EventBody<'action.observed'>];
  const said = { ...observed, text: 'hunter2' };
  const spent = spentIn(1);
  const { model, limits } = createdBody(run);
  const session = { computer: 'box', session: 'main', uid: ulid(), cwd: '/tmp/w' };
  await writer.record([
    {
      kind: 'step.inherited',
      body: { run: parent, answered, observed: [said], taught: 'hunter2', delivered: [] },
    },
    {
      kind: 'branch.began',
      body: {
        parent: { run: parent, step: 1 },
        checkpoint: null,
        spent,
        dropped: [],
        added: [{ id: ulid(), text: 'hunter2' }],
        message: 'From hunter2',
      },
    },
    { kind: 'model.changed', body: { model, request: { model: 'other' }, by: 'Alice' } },
    { kind: 'limits.changed', body: { limits, by: 'Alice' } },
    { kind: 'gpu.changed', body: { computer: 'box', state: 'idle', since: 1, gpus: [] } },
    {
      kind: 'checkpoint.made',
      body: {
        checkpoint: ulid(),
        step: 1,
        why: 'asked',
        note: 'hunter2',
        spent,
        workspace: null,
        durationMs: 1,
        message: 'No hunter2',
        sessions: [
          { ...session, env: { A: 'hunter2' }, rows: 24, cols: 80, endOffset: 0, running: 'hunter2' },
        ],
      },
    },
  ]);
  await store.writer.post(run, alice, { op: 'run.checkpoint', note: 'hunter2' });
  await store.writer.post(run, alice, { op: 'run.limits', limits: { maxSteps: 7 } });
  writer.step = 1;
  await writer.command('echo hunter2', 'hunter2');
  await writer.hint('hunter2');
  await store.drain();
  await store.writer.remove(run, 'text', alice);
  await store.drain();
  expect(await store.reader.verify()).toMatchObject({
    ok: true,
    runs: [
      { id: parent, problems: [] },
      { id: run, purged: 'text', problems: [] },
    ],
  });
  await store.close();
  expect(everything(folder)).not.toContain('hunter2');
});

test('purging holds for whatever a run holds', async () => {
  for (const life of fc.sample(deeds, { numRuns: 12, seed: 11 })) {
    const store = testStore();
    const run = await liveThrough(store, life);
    await store.writer.remove(run, 'text', alice);
    const report = await store.reader.verify();
    expect(report.workspace).toEqual([]);
    expect(report.runs[0]?.problems).toEqual([]);
    await store.close();
  }
});

test('a removal that was interrupted is finished at the next opening', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const run = await secretRun(store, 'hunter2');
  await store.writer.remove(run, 'run', alice);
  await store.close();
  const db = openDatabase(workspaceFile(folder));
  db.exec('UPDATE tombstone SET done = 0');
  db.close();
  const second = testStore(folder);
  await second.drain();
  expect(await second.reader.verify()).toMatchObject({ ok: true });
});

test('a driven run is not removed', async () => {
  const store = testStore();
  const run = await secretRun(store, 'hunter2');
  const lock = store.lockRun(run);
  await expect(store.writer.remove(run, 'run', alice)).rejects.toMatchObject({ code: 'refused' });
  lock?.release();
  await store.writer.remove(run, 'run', alice);
});
