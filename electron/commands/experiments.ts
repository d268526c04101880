import type { experimentCommands } from '@shared/contract/ipc/experiments';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './dispatch';

/** What runs were made for, and what they came to. */
export function experimentHandlers(holder: WorkbenchHolder): HandlersOf<typeof experimentCommands> {
  const reader = () => holder.require().store.reader;
  return {
    'experiments.list': () => reader().experiments(),
    'experiments.show': ({ name }) => reader().experiment(name),
  };
}
