import { expect, test } from 'vitest';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { openDatabase } from '../file/database';
import { workspaceFile } from '../file/workspace-file';

test('a run whose state another process derived again is read again before the next event', async () => {
  const folder = temporaryFolder();
  const here = testStore(folder);
  const run = await createRun(here);
  const writer = new RunWriter(here, run);
  await writer.start();
  for (let step = 1; step <= 3; step += 1) await writer.command(`echo ${step}`, 'x', { exitCode: 0 });
  await here.close();
  const db = openDatabase(workspaceFile(folder));
  db.exec("UPDATE run_head SET state = json_set(state, '$.cost', 99)");
  db.close();

  const damaged = testStore(folder);
  const target = { run, from: 1, to: 1 };
  await damaged.writer.annotate(alice, target, { op: 'label', value: 'mask', reason: null });
  const other = testStore(folder);
  await other.writer.rebuild(run);
  expect((await other.reader.verify()).ok).toBe(true);
  const again = new RunWriter(damaged, run);
  await again.record([
    { kind: 'run.status', body: { status: 'paused', reason: 'asked', message: 'Paused' } },
  ]);
  expect(await damaged.reader.verify()).toMatchObject({ ok: true });
});
