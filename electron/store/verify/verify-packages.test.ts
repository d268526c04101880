import { appendFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { addTask } from '../../task/add';
import { EngineStand } from '../../testing/engine-stand';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { writeTaskPackage } from '../../testing/task-package';

test('a package that is missing or was changed is named, and adding it again brings it back', async () => {
  const store = testStore();
  const source = await writeTaskPackage(join(temporaryFolder(), 'package'), {});
  const { id, folder } = await addTask(store, source);
  const found = async () => (await store.reader.verify()).workspace.map(({ what, where }) => [what, where]);
  expect(await found()).toEqual([]);
  appendFileSync(join(store.folder, folder, 'task.yaml'), '# changed\n');
  expect(await found()).toEqual([['task_package', `task ${id}`]]);
  rmSync(join(store.folder, 'tasks'), { recursive: true });
  expect(await found()).toEqual([['task_package', `task ${id}`]]);
  await addTask(store, source);
  expect(await found()).toEqual([]);
});

test('a run neither starts nor goes on without the package of its task, and says what to do', async () => {
  const stand = await EngineStand.finishing();
  onTestFinished(() => stand.close());
  const run = await stand.start();
  const tasks = join(stand.store.folder, 'tasks');
  renameSync(tasks, `${tasks}.away`);
  const missing = expect.stringContaining('Add the same package again');
  await expect(stand.start()).rejects.toMatchObject({ code: 'task_invalid', message: missing });
  await stand.drive(run);
  expect(await stand.store.reader.run(run)).toMatchObject({ reason: 'task_invalid', message: missing });
  renameSync(`${tasks}.away`, tasks);
  await stand.drive(run);
  expect(await stand.store.reader.run(run)).toMatchObject({ stored: 'finished' });
});
