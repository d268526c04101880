import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder, testStore } from '../testing/store-fixtures';
import { writeTaskPackage } from '../testing/task-package';
import { addTask, pinnedPackage } from './add';
import { storedWarnings } from './stored-warnings';

it('warns of a task in the workspace by its pinned copy, and of one whose copy is gone by nothing', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const runs = 'sh "$WAYMARK_INPUTS/data/outputs/train.sh"\n';
  const task = await addTask(
    store,
    await writeTaskPackage(join(temporaryFolder(), 'package'), { 'evaluation/evaluate.sh': runs }),
  );
  expect(await storedWarnings(() => store)(task)).toEqual([
    { kind: 'runs_agent_files', file: 'evaluation/evaluate.sh' },
  ]);
  rmSync(pinnedPackage(folder, task.hash), { recursive: true });
  expect(await storedWarnings(() => store)(task)).toEqual([]);
});
