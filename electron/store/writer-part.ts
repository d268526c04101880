import { BlobStore } from './blob-store';
import { storeFailure } from './database';
import { rebuildOutdated } from './projection-upgrade';
import { Statements } from './rows';
import { deviceOf, openForWriting } from './workspace-file';
import { WriterCore, type WriterOptions } from './writer-core';

/** Opens the writing connection and starts its core. `device` defaults to this machine's identity in the workspace. */
export function openWriterPart(options: Omit<WriterOptions, 'device'> & { device?: string }): WriterCore {
  const db = openForWriting(options.folder);
  try {
    const statements = new Statements(db);
    rebuildOutdated(statements, new BlobStore(statements, options.folder), options.projector);
    const core = new WriterCore(db, { ...options, device: options.device ?? deviceOf(db) });
    try {
      core.start();
    } catch (thrown) {
      core.halt();
      throw thrown;
    }
    return core;
  } catch (thrown) {
    db.close();
    throw storeFailure(thrown, `the workspace ${options.folder}`);
  }
}
