import type { experimentCommands } from '@shared/contract/ipc/experiments';
import { datasetTasks, experimentTasks } from '../dataset/past/task-sets';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './dispatch';

/** What runs were made for, and what they came to. */
export function experimentHandlers(holder: WorkbenchHolder): HandlersOf<typeof experimentCommands> {
  const reader = () => holder.require().store.reader;
  return {
    'experiments.list': () => reader().experiments(),
    'experiments.show': ({ name }) => reader().experiment(name),
    'experiments.overlap': async ({ name, other }) => {
      const ones = await experimentTasks(reader(), name);
      const others =
        'experiment' in other
          ? await experimentTasks(reader(), other.experiment)
          : await datasetTasks(holder.require().folder, other.dataset);
      return others === null ? null : reader().taskOverlap(ones, others);
    },
  };
}
