import { spentIn } from '@shared/log/event-fixtures';
import type { NewEvent } from '@shared/log/events';
import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { createdBody, createRun, RunWriter } from '../../testing/run-writer';
import { testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';

const file = { computer: 'local', path: '/tmp/w/a.py' };
const sha = (content: string | null) =>
  content === null ? null : Buffer.from(content).toString('hex').padEnd(64, '0').slice(0, 64);

function changed(
  step: number,
  before: string | null,
  after: string | null,
  more: { path?: string; size?: number; text?: string | null; by?: 'action' | 'shell' } = {},
): NewEvent {
  return {
    kind: 'file.changed',
    body: {
      step,
      call: 0,
      computer: 'local',
      path: more.path ?? file.path,
      before: sha(before),
      after: sha(after),
      size: more.size ?? after?.length ?? 0,
      beforeText: before,
      text: more.text === undefined ? after : more.text,
      by: more.by ?? 'action',
    },
  };
}

async function edit(writer: RunWriter, events: (step: number) => NewEvent[]): Promise<void> {
  await writer.command('', 'edited', { tool: 'edit_file', events: events(writer.step + 1) });
}

async function started(store: Store): Promise<RunWriter> {
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  return writer;
}

test('files are listed newest first, filtered and paged, and a deleted one says so', async () => {
  const store = testStore();
  const writer = await started(store);
  await edit(writer, (step) => [
    changed(step, null, 'x'),
    changed(step, null, 'n', { path: '/tmp/w/Notes.md' }),
  ]);
  await edit(writer, (step) => [changed(step, 'x', 'y')]);
  await edit(writer, (step) => [changed(step, 'n', null, { path: '/tmp/w/Notes.md', by: 'shell' })]);
  const page = (filter: string, offset = 0, limit = 10) =>
    store.reader.files(writer.run, { filter, offset, limit });
  expect(await page('')).toEqual({
    files: [
      { computer: 'local', path: '/tmp/w/Notes.md', revisions: 2, lastStep: 3, removed: true },
      { ...file, revisions: 2, lastStep: 2, removed: false },
    ],
    total: 2,
  });
  expect(await page('notes')).toMatchObject({ files: [{ path: '/tmp/w/Notes.md' }], total: 1 });
  expect(await page('', 1, 1)).toMatchObject({ files: [file], total: 2 });
});

test('a revision is text, absent, or known by its hash only; what it was before is known too', async () => {
  const store = testStore();
  const writer = await started(store);
  await edit(writer, (step) => [changed(step, 'old', 'new')]);
  await edit(writer, (step) => [changed(step, 'new', 'bin', { text: null, size: 40 })]);
  await edit(writer, (step) => [changed(step, 'bin', 'big', { text: null, size: 12_000_000 })]);
  await edit(writer, (step) => [changed(step, 'big', null)]);
  const at = (revision: number) => store.reader.fileText(writer.run, file, revision);
  expect(await at(0)).toMatchObject({ kind: 'text', text: 'old', size: 3 });
  expect(await at(1)).toMatchObject({ kind: 'text', text: 'new' });
  expect(await at(2)).toMatchObject({ kind: 'binary', size: 40, sha256: sha('bin') });
  expect(await at(3)).toMatchObject({ kind: 'large', size: 12_000_000 });
  expect(await at(4)).toEqual({ kind: 'absent' });
  await expect(at(5)).rejects.toMatchObject({ code: 'not_found' });
  const counts = await store.reader.fileCounts(writer.run, file, [1, 2]);
  expect(counts[0]).toEqual({ revision: 1, counts: { added: 1, removed: 1 } });
});

test('a path that vanishes while its content appears under another was moved', async () => {
  const store = testStore();
  const writer = await started(store);
  await edit(writer, (step) => [changed(step, null, 'x')]);
  await edit(writer, (step) => [
    changed(step, null, 'x', { path: '/tmp/w/b.py', by: 'shell' }),
    changed(step, 'x', null, { by: 'shell' }),
  ]);
  const last = await store.reader.fileRevisions(writer.run, file, null, 10);
  expect(last.revisions.at(-1)).toMatchObject({ after: null, movedTo: '/tmp/w/b.py', by: 'shell' });
  const other = await store.reader.fileRevisions(writer.run, { ...file, path: '/tmp/w/b.py' }, null, 10);
  expect(other.revisions[0]).toMatchObject({ movedFrom: file.path, movedTo: null });
});

test('of thousands of revisions one page is read, around a step or a number', async () => {
  const store = testStore();
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  const text = (step: number) =>
    Array.from({ length: 400 }, (_, line) => `${line} ${step * line}`).join('\n');
  for (let step = 1; step <= 4000; step += 400) {
    const events = Array.from({ length: 400 }, (_, index) =>
      changed(step + index, text(step + index - 1), text(step + index)),
    );
    await store.writer.append(run, 1, events);
  }
  const page = await store.reader.fileRevisions(run, file, { step: 2000 }, 50);
  expect(page).toMatchObject({ first: 1975, total: 4000, chosen: 2000 });
  expect(page.revisions.map(({ revision }) => revision)).toEqual(
    Array.from({ length: 50 }, (_, index) => 1975 + index),
  );
  expect(page.revisions.every(({ added }) => added === null)).toBe(true);
  expect((await store.reader.fileRevisions(run, file, null, 50)).revisions.at(-1)?.revision).toBe(4000);
  expect(await store.reader.fileRevisions(run, file, { revision: 1 }, 50)).toMatchObject({
    first: 1,
    chosen: 1,
  });
  // Counting 200 such pairs takes longer than one answer may: the rest is asked for again, and it ends.
  const wanted = page.revisions.map(({ revision }) => revision);
  for (let asked = 0; wanted.length > 0; asked += 1) {
    const counted = await store.reader.fileCounts(run, file, wanted);
    expect(counted.map(({ revision }) => revision)).toEqual(wanted.splice(0, counted.length));
    expect(counted[0]?.counts).toEqual({ added: 399, removed: 399 });
    expect(asked).toBeLessThan(50);
  }
});

test('a branch continues the files of its checkpoint under its own folder', async () => {
  const store = testStore();
  const parent = await started(store);
  await edit(parent, (step) => [changed(step, null, 'one')]);
  await edit(parent, (step) => [changed(step, 'one', 'two')]);
  const checkpoint = ulid();
  await parent.record([
    {
      kind: 'checkpoint.made',
      body: {
        checkpoint,
        step: 2,
        why: 'asked',
        note: '',
        spent: spentIn(2),
        workspace: null,
        sessions: [],
        durationMs: 1,
        message: '',
      },
    },
  ]);
  await edit(parent, (step) => [changed(step, 'two', 'lost')]);
  const run = ulid();
  const branch = new RunWriter(store, run);
  const from = { run: parent.run, step: 3 };
  await store.writer.append(run, 0, [
    { kind: 'run.created', body: { ...createdBody(run), parent: from, workspaceRoot: '/tmp/copy' } },
  ]);
  await branch.start();
  await branch.record([
    {
      kind: 'branch.began',
      body: { parent: from, checkpoint, spent: spentIn(3), dropped: [], added: [], message: '' },
    },
  ]);
  branch.step = 3;
  const path = '/tmp/copy/a.py';
  await edit(branch, (step) => [changed(step, 'two', 'three', { path })]);
  const page = await store.reader.fileRevisions(run, { computer: 'local', path }, null, 10);
  expect(page.revisions.map(({ revision, step, inheritedFrom }) => [revision, step, inheritedFrom])).toEqual([
    [1, 1, parent.run],
    [2, 2, parent.run],
    [3, 4, null],
  ]);
  expect(page.revisions.every((revision) => revision.path === path)).toBe(true);
  expect(await store.reader.fileText(run, { computer: 'local', path }, 2)).toMatchObject({ text: 'two' });
  expect((await store.reader.files(run, { filter: '', offset: 0, limit: 9 })).files).toMatchObject([
    { path, revisions: 3 },
  ]);
  expect((await store.reader.step(run, 4)).files).toMatchObject([{ revision: 3, added: 1, removed: 1 }]);
});
