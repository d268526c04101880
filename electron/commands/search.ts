import type { Handlers } from '../ipc/register';
import type { WorkbenchHolder } from '../workbench';

type SearchHandlers = Pick<
  Handlers,
  'search.steps' | 'search.workspace' | 'search.scan' | 'search.news' | 'search.stop' | 'search.progress'
>;

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
