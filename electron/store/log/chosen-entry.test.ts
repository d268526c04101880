import { ulid } from 'ulid';
import { expect, inject, test } from 'vitest';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { openStore } from '../threads/client';

test('an entry whose id its asker chose is stored once, however often it is asked for', async () => {
  const store = testStore();
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('true', 'ok', { exitCode: 0 });
  const [pause, label] = [ulid(), ulid()];

  const posted = await store.writer.post(run, alice, { op: 'run.pause', mode: 'now' }, pause);
  expect(await store.writer.post(run, alice, { op: 'run.pause', mode: 'now' }, pause)).toEqual(posted);
  expect(await store.reader.outbox(run, 0)).toEqual([posted]);
  expect(await store.reader.entry(pause)).toEqual({ outbox: posted });

  const target = { run, from: 1, to: 1 };
  const op = { op: 'label', value: 'train', reason: null } as const;
  const entry = await store.writer.annotate(alice, target, op, label);
  expect(entry.ulid).toBe(label);
  expect(await store.writer.annotate(alice, target, op, label)).toEqual(entry);
  expect(await store.reader.annotations(run)).toEqual([entry]);
  expect(await store.reader.entry(label)).toEqual({ annotation: entry });
  expect(await store.reader.entry(ulid())).toBeNull();
  expect(await store.reader.verify()).toMatchObject({ ok: true });

  const other = await createRun(store);
  await expect(store.writer.post(other, alice, { op: 'run.stop' }, pause)).rejects.toMatchObject({
    code: 'conflict',
  });
});

test('the store behind threads takes the id from whoever asks', async () => {
  const ids: string[] = [ulid()];
  const [chosen] = ids;
  const store = await openStore(temporaryFolder(), {
    workerDir: inject('storeWorkers'),
    ballastBytes: 0,
    entryId: () => ids.pop(),
  });
  try {
    const run = await createRun(store);
    expect((await store.writer.post(run, alice, { op: 'run.stop' })).ulid).toBe(chosen);
    expect((await store.writer.post(run, alice, { op: 'run.stop' })).ulid).not.toBe(chosen);
    expect(await store.reader.entry(chosen ?? '')).toMatchObject({ outbox: { body: { op: 'run.stop' } } });
  } finally {
    await store.close();
  }
});
