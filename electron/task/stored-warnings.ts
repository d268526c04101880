import type { TaskWarning } from '@shared/contract/task';
import type { Store } from '../store/api';
import type { StoredTask } from '../store/values';
import { pinnedPackage } from './add';
import { parseSpec } from './stored-spec';

/** Most packages of which what was found is kept. */
const kept = 200;

/**
 * What was found in the pinned package of a task, looked for once: a package never changes. A copy that cannot be read warns of
 * nothing; who starts a run with it hears what is wrong with it.
 */
export function storedWarnings(
  store: () => Pick<Store, 'folder'>,
): (task: StoredTask) => Promise<TaskWarning[]> {
  const found = new Map<string, Promise<TaskWarning[]>>();
  return (task) => {
    const folder = pinnedPackage(store().folder, task.hash);
    const known = found.get(folder);
    if (known !== undefined) return known;
    const looked = look(folder, task);
    if (found.size < kept) found.set(folder, looked);
    return looked;
  };
}

async function look(folder: string, { spec, title }: StoredTask): Promise<TaskWarning[]> {
  // Other commands do not wait for the parser of task files.
  const [{ listPackage }, { taskWarnings }] = await Promise.all([
    import('./package-files'),
    import('./task-warnings'),
  ]);
  try {
    const { entries } = await listPackage(folder);
    return await taskWarnings({ folder, spec: parseSpec(spec, title), entries });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return [];
  }
}
