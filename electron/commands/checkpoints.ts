import type { checkpointCommands } from '@shared/contract/ipc/checkpoints';
import { namedEndpoint, type Settings } from '@shared/contract/settings';
import type { Author } from '@shared/log/annotations';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './dispatch';

type Group = HandlersOf<typeof checkpointCommands>;

export interface CheckpointHandlerOptions {
  holder: WorkbenchHolder;
  author(): Author;
  settings(): Settings;
}

/** Checkpoints and branches. */
export function checkpointHandlers({ holder, author, settings }: CheckpointHandlerOptions): Group {
  const engine = () => holder.require().engine;
  return {
    'checkpoints.list': ({ run }) => engine().checkpoints.list(run),
    'checkpoints.size': ({ run }) => engine().checkpoints.size(run),
    'checkpoints.make': ({ run, note }) => engine().checkpoints.make(run, author(), note),
    'branches.plan': ({ run, step }) => engine().branches.plan(run, step),
    'branches.create': async ({ start, endpoint, unisolated, ...input }) => {
      const model = endpoint === null ? null : namedEndpoint(settings(), endpoint);
      const run = await engine().branches.create({ ...input, endpoint: model, agreed: unisolated });
      if (start) await engine().resumeRun(run);
      return { run };
    },
    'branches.lineage': ({ run }) => engine().branches.lineage(run),
  };
}
