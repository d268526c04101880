import type { fileCommands } from '@shared/contract/ipc/files';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './handlers';

type FileHandlers = HandlersOf<typeof fileCommands>;

/** What became of files in a run. All of it is bounded by the reader. */
export function fileHandlers(holder: WorkbenchHolder): FileHandlers {
  const reader = () => holder.require().store.reader;
  return {
    'files.list': ({ run, ...page }) => reader().files(run, page),
    'files.revisions': ({ run, computer, path, at, limit }) =>
      reader().fileRevisions(run, { computer, path }, at, limit),
    'files.counts': ({ run, computer, path, revisions }) =>
      reader().fileCounts(run, { computer, path }, revisions),
    'files.text': ({ run, computer, path, revision }) => reader().fileText(run, { computer, path }, revision),
  };
}
