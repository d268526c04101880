import type { Store } from './api';
import { openIndexPart } from './index-part';
import { createProjector } from './projector';
import { openReaderPart } from './reader-part';
import type { StepProjector } from './step-projector';
import { AssembledStore, Notices } from './store-parts';
import { openWriterPart } from './writer-part';

export interface InProcessOptions {
  device?: string;
  now?: () => number;
  projector?: StepProjector;
  ballastBytes?: number;
}

/** The whole store in the calling thread: for unit tests and for measuring the core without threads. */
export function openStoreInProcess(folder: string, options: InProcessOptions = {}): Store {
  const now = options.now ?? Date.now;
  const notices = new Notices();
  const writer = openWriterPart({
    folder,
    now,
    projector: options.projector ?? createProjector(),
    ballastBytes: options.ballastBytes ?? 0,
    notify: (notice) => {
      index?.noticed(notice);
      notices.publish(notice);
    },
    backup: () =>
      index === undefined ? Promise.reject(new Error('The store is not open yet.')) : index.backup(),
    ...(options.device === undefined ? {} : { device: options.device }),
  });
  const index = openIndexPart(folder, { now, projector: options.projector ?? createProjector() });
  const reader = openReaderPart(folder, { now, search: index.search, verify: index.verify });
  writer.start();
  return new AssembledStore(folder, writer, reader.core, notices, {
    drain: async () => {
      await writer.drain();
      await index.drain();
    },
    close: async () => {
      await index.close();
      await writer.close();
      reader.close();
    },
  });
}
