import { createProjector } from '../projections/projector';
import { serveThread } from '../threads/serve-thread';
import { listBackups } from './list-backups';
import { type RestoreOptions, restoreWorkspace } from './restore-workspace';

/** Entry of the thread that looks into backups and puts a new workspace together; it opens nothing before it is asked. */
serveThread(({ folder }) => ({
  backups: async () => listBackups(folder),
  restore: (options: Omit<RestoreOptions, 'projector'>) =>
    restoreWorkspace({ ...options, projector: createProjector() }),
  close: async () => undefined,
}));
