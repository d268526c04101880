import { createProjector } from './projector';
import { serveThread } from './serve-thread';
import { openWriterPart } from './writer-part';

/** Entry of the thread with the writing connection. */
serveThread((data, notify) => {
  const core = openWriterPart({
    folder: data.folder,
    now: Date.now,
    projector: createProjector(),
    ballastBytes: data.ballastBytes,
    notify,
    readOnly: data.readOnly,
    ...(data.device === null ? {} : { device: data.device }),
  });
  return {
    append: core.append.bind(core),
    appendIfOutboxAt: core.appendIfOutboxAt.bind(core),
    post: core.post.bind(core),
    annotate: core.annotate.bind(core),
    merge: core.merge.bind(core),
    undo: core.undo.bind(core),
    redo: core.redo.bind(core),
    sessionBytes: core.sessionBytes.bind(core),
    remove: core.remove.bind(core),
    clean: core.clean.bind(core),
    createTask: core.createTask.bind(core),
    setRules: core.setRules.bind(core),
    see: core.see.bind(core),
    keepDwell: core.keepDwell.bind(core),
    dismissRetroMask: core.dismissRetroMask.bind(core),
    rebuild: core.rebuild.bind(core),
    isReadOnly: async () => core.readOnly,
    drain: core.drain.bind(core),
    close: core.close.bind(core),
  };
});
