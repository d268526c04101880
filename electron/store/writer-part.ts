import { deviceOf, openForWriting } from './workspace-file';
import { WriterCore, type WriterOptions } from './writer-core';

/** Opens the writing connection and its core. `device` defaults to this machine's identity in the workspace. */
export function openWriterPart(options: Omit<WriterOptions, 'device'> & { device?: string }): WriterCore {
  const db = openForWriting(options.folder);
  try {
    return new WriterCore(db, { ...options, device: options.device ?? deviceOf(db) });
  } catch (thrown) {
    db.close();
    throw thrown;
  }
}
