import { openWriterPart } from '../commands/writer-part';
import { writesOf } from '../commands/writers';
import type { StoreNotice } from '../notices';
import { createProjector } from '../projections/projector';
import { answersOf } from '../queries/answers';
import { openReads } from '../queries/reads';
import { serveThread } from './serve-thread';
import type { ThreadData } from './thread-protocol';

/** The thread with the writing connection; it also answers bounded reads where the thread for them waits. */
export function serveWrites(): void {
  serveThread(openPart);
}

function openPart(data: ThreadData, notify: (notice: StoreNotice) => void) {
  const core = openWriterPart({
    folder: data.folder,
    now: Date.now,
    projector: createProjector(),
    ballastBytes: data.ballastBytes,
    notify,
    readOnly: data.readOnly,
    ...(data.device === null ? {} : { device: data.device }),
  });
  let open: ReturnType<typeof openReads> | null;
  try {
    open = data.alsoReads === true ? openReads(data.folder) : null;
  } catch (thrown) {
    core.halt();
    throw thrown;
  }
  return {
    ...(open === null ? {} : answersOf('read', open.reads)),
    ...writesOf('write', core),
    isReadOnly: async () => core.readOnly,
    drain: core.drain.bind(core),
    close: async () => {
      await core.close();
      open?.close();
    },
  };
}
