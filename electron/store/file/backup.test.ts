import { readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { workLockPath } from '../../files/workspace-paths';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { holdLock } from '../log/run-lock';
import { backupNames } from '../restore/newest-backup';
import { checkAnnotations, checkOutbox } from '../verify/verify-entries';
import { createBackup } from './backup';
import { backupName, outlived } from './backup-names';
import { openDatabase } from './database';
import { Statements } from './rows';
import { workspaceFile } from './workspace-file';

async function labelled(folder: string, options = {}) {
  const store = testStore(folder, options);
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('ls', 'a', { exitCode: 0 });
  await writer.hint('go on');
  await store.writer.annotate(alice, { run, from: 1, to: 1 }, { op: 'label', value: 'train', reason: null });
  return { store, run };
}

test('a backup holds hints and labels with their chains', async () => {
  const { store, run } = await labelled(temporaryFolder());
  const copy = new Statements(openDatabase(await store.writer.backup(), { readonly: true }));
  expect([...checkOutbox(copy), ...checkAnnotations(copy)]).toEqual([]);
  const bodies = copy.all<{ body: string }>('SELECT body FROM annotation UNION ALL SELECT body FROM outbox');
  expect(bodies.map(({ body }) => JSON.parse(body))).toMatchObject([
    { target: { run, from: 1 }, body: { value: 'train' } },
    { run, body: { text: 'go on' } },
  ]);
  copy.db.close();
});

test('changed hints and labels are copied after the interval; an unchanged workspace is not', async () => {
  const folder = temporaryFolder();
  const { store, run } = await labelled(folder, { backupEveryMs: 50 });
  const copies = () => readdirSync(join(folder, 'backups')).filter((name) => name.endsWith('.db')).length;
  await expect.poll(copies).toBeGreaterThan(0);
  await store.writer.annotate(alice, { run, from: 1, to: 1 }, { op: 'comment', text: 'one more' });
  const before = copies();
  await expect.poll(copies).toBe(before + 1);
});

test('a backup is at most 15 minutes old where nothing else was asked for', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const folder = temporaryFolder();
  await labelled(folder, {});
  const copies = () => backupNames(folder).length;
  vi.advanceTimersByTime(14 * 60_000);
  expect(copies()).toBe(0);
  vi.advanceTimersByTime(60_000);
  await expect.poll(copies, { timeout: 20_000 }).toBe(1);
});

test('what a killed process left of a copy is deleted, and nobody copies beside another process', async () => {
  const folder = temporaryFolder();
  const { store } = await labelled(folder);
  const first = await store.writer.backup();
  writeFileSync(`${first}.tmp`, 'half a copy');
  const second = await store.writer.backup();
  expect(readdirSync(join(folder, 'backups'))).toEqual([first, second].map((path) => basename(path)));
  const held = holdLock(workLockPath(folder, 'backup'));
  const source = new Statements(openDatabase(workspaceFile(folder), { readonly: true }));
  expect(() => createBackup(source, folder, Date.now(), 0)).toThrow(
    expect.objectContaining({ code: 'conflict' }),
  );
  held?.release();
  expect(createBackup(source, folder, Date.now(), 0)).toContain('logs-');
  source.db.close();
});

test('many copies in a row leave those of earlier hours, days and months alone', async () => {
  const folder = temporaryFolder();
  const { store } = await labelled(folder);
  await store.writer.backup();
  const backups = join(folder, 'backups');
  const [first = ''] = readdirSync(backups);
  writeFileSync(join(backups, 'logs-of-mine.db'), '');
  const start = Date.UTC(2020, 0, 1);
  // Every five minutes for a hundred days.
  const names = Array.from({ length: 100 * 288 }, (_, index) => backupName(start + index * 300_000));
  let kept: string[] = [];
  for (const name of names) {
    kept.push(name);
    const gone = new Set(outlived(kept));
    kept = kept.filter((each) => !gone.has(each));
  }
  for (const name of kept) writeFileSync(join(backups, name), '');
  await store.writer.backup();
  const left = readdirSync(backups).sort().reverse();
  expect(left).toContain(first);
  expect(left).toContain('logs-of-mine.db');
  const old = left.filter((name) => name.startsWith('logs-2020')).map((name) => name.slice(5, 21));
  // The two newest of now take a quarter of an hour, an hour, a day and a month themselves.
  expect(old).toEqual([
    ...['2020-04-09T23-55', '2020-04-09T23-40', '2020-04-09T23-25', '2020-04-09T22-55', '2020-04-09T21-55'],
    ...['2020-04-09T20-55', '2020-04-09T19-55', '2020-04-09T18-55', '2020-04-09T17-55', '2020-04-08T23-55'],
    ...['2020-04-07T23-55', '2020-04-06T23-55', '2020-04-05T23-55', '2020-04-04T23-55', '2020-03-18T23-55'],
  ]);
});

test('a log that does not check is not copied, and earlier copies stay', async () => {
  const folder = temporaryFolder();
  const { store } = await labelled(folder);
  await store.writer.backup();
  await store.close();
  const db = openDatabase(workspaceFile(folder));
  db.exec('DROP TRIGGER annotation_no_update');
  db.exec(`UPDATE annotation SET body = replace(body, '"train"', '"mask"')`);
  db.close();
  const second = testStore(folder);
  await expect(second.writer.backup()).rejects.toMatchObject({ code: 'workspace_corrupt' });
  expect(readdirSync(join(folder, 'backups'))).toHaveLength(1);
});

test('whatever was said while a process was here is copied when it goes; what it only read is not', async () => {
  const folder = temporaryFolder();
  const { store, run } = await labelled(folder);
  const copies = () => readdirSync(join(folder, 'backups')).filter((name) => name.endsWith('.db')).length;
  await store.close();
  expect(copies()).toBe(1);
  const second = testStore(folder);
  await second.writer.annotate(alice, { run, from: 1, to: 1 }, { op: 'comment', text: 'one more' });
  const reading = testStore(folder);
  await reading.close();
  expect(copies()).toBe(1);
  await second.close();
  expect(copies()).toBe(2);
  const unchanged = testStore(folder, { now: () => Date.now() + 40 * 60_000 });
  await unchanged.close();
  expect(copies()).toBe(2);
});

test.each<[string, (store: ReturnType<typeof testStore>, text: string | null) => Promise<unknown>]>([
  [
    'rules',
    (store, text) =>
      store.writer.setRules('demo', text === null ? null : { rules: {}, precedence: 'union' }, alice),
  ],
  ['a rubric for steps', (store, text) => store.writer.keepRubric(kept('steps', text))],
  ['a rubric for summaries', (store, text) => store.writer.keepRubric(kept('summaries', text))],
])('%s that were set for a task are copied like labels when the process goes', async (_, set) => {
  const folder = temporaryFolder();
  await (await labelled(folder)).store.close();
  const copies = () => backupNames(folder).length;
  for (const text of ['blind-edit', 'ignores-script', null]) {
    const before = backupNames(folder)[0];
    const store = testStore(folder);
    await set(store, text);
    await store.close();
    expect(backupNames(folder)[0]).not.toBe(before);
  }
  const before = copies();
  const reader = testStore(folder);
  await reader.reader.runs();
  await reader.close();
  expect(copies()).toBe(before);
});

const kept = (kind: 'steps' | 'summaries', text: string | null) => ({
  task: 'demo',
  kind,
  text,
  author: alice.name,
});

test('what an earlier process said and did not copy is copied by the next one', async () => {
  const folder = temporaryFolder();
  const { store, run } = await labelled(folder);
  await store.writer.backup();
  await store.writer.annotate(alice, { run, from: 1, to: 1 }, { op: 'comment', text: 'one more' });
  await store.close();
  const second = testStore(folder, { backupEveryMs: 50 });
  await expect.poll(() => readdirSync(join(folder, 'backups')).length).toBe(2);
  await second.close();
});
