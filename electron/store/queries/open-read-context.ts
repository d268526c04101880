import { runLockPath } from '../../files/workspace-paths';
import { BlobStore } from '../file/blob-store';
import { Statements } from '../file/rows';
import { openForReading } from '../file/workspace-file';
import { isLockHeld } from '../log/run-lock';
import type { ReadContext } from './read-context';

/** Opens a connection for bounded reads. The workspace must have been opened for writing before. */
export function openReadContext(folder: string, now: () => number): ReadContext {
  const statements = new Statements(openForReading(folder));
  return {
    statements,
    blobs: new BlobStore(statements, folder),
    folder,
    isDriven: (run) => isLockHeld(runLockPath(folder, run)),
    now,
  };
}
