import type { searchCommands } from '@shared/contract/ipc/search';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './handlers';

type SearchHandlers = HandlersOf<typeof searchCommands>;

/** Search of the window; all of it runs in the store's thread for what may take long. */
export function searchHandlers(holder: WorkbenchHolder): SearchHandlers {
  const reader = () => holder.require().store.reader;
  return {
    'search.steps': (request) => reader().search(request),
    'search.workspace': ({ query, limit }) => reader().searchWorkspace(query, limit),
    'search.scan': (request) => reader().startScan(request),
    'search.news': ({ scan, after }) => reader().scanNews(scan, after),
    'search.stop': ({ scan }) => reader().stopScan(scan),
    'search.progress': () => reader().indexProgress(),
  };
}
