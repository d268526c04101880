import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../testing/deadline';
import { EngineStand } from '../testing/engine-stand';
import { alice, createRun, RunWriter } from '../testing/run-writer';
import { temporaryFolder, testStore } from '../testing/store-fixtures';

test('a folder that is moved while it is open takes nothing, and goes on once it is back', async () => {
  const folder = join(temporaryFolder(), 'here');
  const away = join(temporaryFolder(), 'away');
  const store = testStore(folder);
  const problems: string[] = [];
  store.subscribe((notice) => {
    if (notice.kind === 'problem' || notice.kind === 'problem_solved')
      problems.push(`${notice.kind} ${notice.code}`);
  });
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  await writer.command('echo 1', 'one', { exitCode: 0 });
  const say = (text: string) =>
    store.writer.annotate(alice, { run: writer.run, from: 1, to: 1 }, { op: 'comment', text });
  await say('before');
  renameSync(folder, away);
  // Rows alone may still be stored for a moment: they have moved with their file.
  const meanwhile = await eventually('what is said is refused', async () => {
    const failure = await say('while it moves').catch((thrown: unknown) => thrown);
    return failure instanceof WaymarkError ? { failure } : undefined;
  });
  await expect(Promise.reject(meanwhile.failure)).rejects.toMatchObject({
    code: 'workspace_moved',
    message: expect.stringContaining(folder),
  });
  const chunk = { offset: 0, bytes: Buffer.from('x'), receivedAt: 1, hostAt: null };
  await expect(store.writer.sessionBytes(writer.run, 1, 'uid', chunk)).rejects.toMatchObject({
    code: 'workspace_moved',
  });
  expect(problems).toEqual(['problem workspace_moved']);
  renameSync(away, folder);
  await eventually('the trouble is over', async () => problems.includes('problem_solved workspace_moved'));
  await say('after');
  const comments = (await store.reader.annotations(writer.run)).map(({ body }) =>
    body.op === 'comment' ? body.text : body.op,
  );
  expect(comments.filter((text) => text !== 'while it moves')).toEqual(['before', 'after']);
  expect(await store.reader.verify()).toMatchObject({ ok: true });
});

test('a run on this machine is not resumed where its workspace was moved, and nothing is made in the old place', async () => {
  const stand = await EngineStand.finishing();
  onTestFinished(() => stand.close());
  const run = await stand.start();
  const [created] = await stand.of(run, 'run.created');
  const before = stand.store.folder;
  await stand.move('moved');
  await stand.drive(run);
  expect(await stand.store.reader.run(run)).toMatchObject({
    reason: 'refused',
    message: expect.stringContaining(created?.workspaceRoot ?? '?'),
  });
  expect(existsSync(before)).toBe(false);
  await stand.move('workspace');
  await stand.drive(run);
  expect(await stand.store.reader.run(run)).toMatchObject({ stored: 'finished' });
});
