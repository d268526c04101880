import type { runChangeCommands } from '@shared/contract/ipc/runs';
import { namedEndpoint, type Settings } from '@shared/contract/settings';
import type { Author } from '@shared/log/annotations';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './handlers';

type Group = HandlersOf<typeof runChangeCommands>;

export interface RunChangeOptions {
  holder: WorkbenchHolder;
  author(): Author;
  settings(): Settings;
}

/** What changes about a run while it goes on, and what goes on when it rests. */
export function runChangeHandlers({ holder, author, settings }: RunChangeOptions): Group {
  const engine = () => holder.require().engine;
  return {
    'runs.setModel': async ({ run, endpoint }) =>
      engine().setModel(run, author(), namedEndpoint(settings(), endpoint)),
    'runs.setLimits': ({ run, limits }) => engine().setLimits(run, author(), limits),
    'runs.running': ({ run }) => engine().running(run),
  };
}
