import { settingsSchema } from '@shared/contract/settings';
import type { NewEvent } from '@shared/log/events';
import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { TerminalPump } from '../ipc/terminal-pump';
import { openDatabase } from '../store/file/database';
import { workspaceFile } from '../store/file/workspace-file';
import { alice, createdBody, createRun, RunWriter } from '../testing/run-writer';
import { temporaryFolder, testStore } from '../testing/store-fixtures';
import { type Workbench, WorkbenchHolder } from '../workbench';
import { workspaceHandlers } from './workspace-handlers';

/** What a window that was just opened asks the main process. */
async function windowOf(store: ReturnType<typeof testStore>) {
  const holder = new WorkbenchHolder(async () => ({ folder: store.folder, store }) as unknown as Workbench);
  await holder.open(store.folder);
  return workspaceHandlers({
    holder,
    author: () => alice,
    settings: () => settingsSchema.parse({}),
    pump: new TerminalPump({ publish: () => undefined }),
    resourcesDir: '',
  });
}

/** A run whose step waits for a person, with its question. */
async function asking(store: ReturnType<typeof testStore>) {
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.answer('I will delete it', 'run_command', { command: 'rm -r data', session_id: 'main' });
  const approval = ulid();
  const question = { approval, step: 1, what: 'rm -r data', why: 'It deletes files.' };
  await writer.record([
    { kind: 'approval.asked', body: { ...question, call: 0 } },
    { kind: 'run.status', body: { status: 'waiting_human', reason: 'approval', message: 'rm -r data' } },
  ]);
  return { run, writer, question };
}

/** What a driver's watches record while a run waits. */
function watched(count: number): NewEvent[] {
  return Array.from({ length: count }, (_, since) => ({
    kind: 'gpu.changed',
    body: { computer: 'local', state: since % 2 === 0 ? 'idle' : 'busy', gpus: [], since },
  }));
}

test('an open approval is shown by a reopened window, whatever was recorded after the question', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const { run, writer, question } = await asking(store);
  for (const event of watched(120)) await writer.record([event]);
  await store.close();
  const reopened = testStore(folder);
  const window = await windowOf(reopened);
  expect(await window['runs.openApprovals']({ run })).toEqual([{ run, ...question }]);
  await new RunWriter(reopened, run).record([
    { kind: 'approval.decided', body: { approval: question.approval, decision: 'allow', by: 'Ada' } },
  ]);
  expect(await window['runs.openApprovals']({ run })).toEqual([]);
  expect(await reopened.reader.verify()).toMatchObject({ ok: true });
});

test('of two windows that answer at once, the second hears that it came too late; what was answered is not open', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const { run, question } = await asking(store);
  const other = await windowOf(testStore(folder));
  const window = await windowOf(store);
  const answer = { run, approval: question.approval, forRun: false };
  const results = await Promise.allSettled([
    window['runs.decideApproval']({ ...answer, decision: 'allow' }),
    other['runs.decideApproval']({ ...answer, decision: 'deny' }),
  ]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const late = { code: 'refused', message: expect.stringContaining('The first answer counts.') };
  expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: late });
  await expect(window['runs.decideApproval']({ ...answer, decision: 'deny' })).rejects.toMatchObject(late);
  expect(await store.reader.outbox(run, 0)).toHaveLength(1);
  expect(await window['runs.openApprovals']({ run })).toEqual([]);
  expect(await other['runs.openApprovals']({ run })).toEqual([]);
});

test('the window shows what a run was started with', async () => {
  const store = testStore();
  const window = await windowOf(store);
  const run = ulid();
  const compared = { experiment: 'hints', arm: 'with', group: null, sample: 3, seed: 42 };
  const created = { ...createdBody(run), ...compared, taskHint: 'tool' as const, humanHints: false };
  await store.writer.append(run, 0, [{ kind: 'run.created', body: created }]);
  expect(await window['runs.record']({ run })).toEqual({ ...compared, taskHint: 'tool', humanHints: false });
  await expect(window['runs.record']({ run: ulid() })).rejects.toMatchObject({ code: 'not_found' });
});

test('the window shows which kinds are allowed in a run, without those that were taken back', async () => {
  const store = testStore();
  const window = await windowOf(store);
  const { run, writer, question } = await asking(store);
  expect(await window['runs.allowedKinds']({ run })).toEqual([]);
  const kinds = ['rm, inside the workspace', 'python'];
  await writer.record([
    { kind: 'approval.decided', body: { approval: question.approval, decision: 'allow', by: 'Ada', kinds } },
  ]);
  expect(await window['runs.allowedKinds']({ run })).toEqual(kinds);
  await window['runs.withdrawKind']({ run, kind: 'python' });
  expect(await window['runs.allowedKinds']({ run })).toEqual([kinds[0]]);
  const [entry] = (await store.reader.outbox(run, 0)).slice(-1);
  expect(entry?.body).toEqual({ op: 'approval.withdrawn', kind: 'python' });
  await writer.record([
    { kind: 'approval.withdrawn', body: { entry: entry?.ulid ?? '', kind: 'python', by: 'Ada' } },
  ]);
  expect(await window['runs.allowedKinds']({ run })).toEqual([kinds[0]]);
  // Allowed once more, by a later answer.
  await writer.record([
    {
      kind: 'approval.decided',
      body: { approval: ulid(), decision: 'allow', by: 'Ada', kinds: ['python'] },
    },
  ]);
  expect(await window['runs.allowedKinds']({ run })).toEqual(kinds);
  expect(await store.reader.verify()).toMatchObject({ ok: true });
});

test('a run that was stopped, or whose call was closed, asks nothing any more', async () => {
  const store = testStore();
  const window = await windowOf(store);
  const stopped = await asking(store);
  await stopped.writer.record([
    { kind: 'run.status', body: { status: 'stopped', reason: 'asked', message: 'Stopped.' } },
  ]);
  expect(await window['runs.openApprovals']({ run: stopped.run })).toEqual([]);
  const closed = await asking(store);
  await closed.writer.observe('not run');
  expect(await window['runs.openApprovals']({ run: closed.run })).toEqual([]);
  expect(await store.reader.verify()).toMatchObject({ ok: true });
});

test('a workspace of an older version shows the approvals that are open in it, in short runs and in long ones', async () => {
  for (const events of [10, 4_100]) {
    const folder = temporaryFolder();
    const store = testStore(folder);
    const { run, writer, question } = await asking(store);
    await writer.record(watched(events));
    await store.close();
    const db = openDatabase(workspaceFile(folder));
    db.exec("UPDATE run_head SET state = json_remove(json_set(state, '$.version', 4), '$.approvals')");
    db.close();
    const reopened = testStore(folder);
    const window = await windowOf(reopened);
    expect(await window['runs.openApprovals']({ run })).toEqual([{ run, ...question }]);
    await reopened.drain();
    expect(await window['runs.openApprovals']({ run })).toEqual([{ run, ...question }]);
    expect(await reopened.reader.verify()).toMatchObject({ ok: true });
  }
});
