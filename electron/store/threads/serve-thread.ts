import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { toFailure, WaymarkError } from '@shared/contract/errors';
import type { EventKind } from '@shared/log/events';
import { storeFailure } from '../file/database';
import type { StoreNotice } from '../notices';
import type { ThreadCall, ThreadData, ThreadMessage } from './thread-protocol';

type Methods = Record<string, (...args: never[]) => Promise<unknown>>;

/**
 * Runs in a worker thread: opens the part when it is asked to, answers calls until `close`, then lets the thread end by itself
 * (a thread that ran SQL must never be terminated).
 */
export function serveThread(
  open: (data: ThreadData, notify: (notice: StoreNotice) => void) => Methods,
): void {
  const port = parentPort;
  if (port === null) {
    throw new WaymarkError('bug', 'This file is the entry of a worker thread and was loaded elsewhere.');
  }
  let outgoing: ThreadMessage[] = [];
  const flush = () => {
    if (outgoing.length === 0) {
      return;
    }
    const messages = outgoing;
    outgoing = [];
    port.postMessage(messages);
  };
  // All that one commit answers goes over together: a message costs more than what is in it.
  const send = (message: ThreadMessage) => {
    if (outgoing.push(message) === 1) {
      process.nextTick(flush);
    }
  };
  // Until it is opened there is nothing to let go of.
  let methods: Methods = { close: async () => undefined };
  const begin = (data: ThreadData) => {
    if (data.resourcesPath !== null && !('resourcesPath' in process)) {
      Object.assign(process, { resourcesPath: data.resourcesPath });
    }
    try {
      methods = open(data, (notice) => send({ type: 'notice', notice: toldNotice(notice) }));
      send({ type: 'ready' });
    } catch (thrown) {
      send({
        type: 'refused',
        failure: toFailure(storeFailure(thrown, `the workspace ${data.folder}`, data.folder)),
      });
      flush();
      port.close();
    }
  };
  const take = (call: ThreadCall) => {
    if (call.method === 'open') {
      begin(call.args[0] as ThreadData);
      return;
    }
    void answer(methods, call).then((message) => {
      send(message);
      if (call.method === 'close') {
        flush();
        port.close();
      }
    });
  };
  port.on('message', (call: ThreadCall) => {
    take(call);
    // What came while the last commit ran goes into the next one together.
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
      take(next.message as ThreadCall);
    }
  });
}

async function answer(methods: Methods, { id, method, args }: ThreadCall): Promise<ThreadMessage> {
  try {
    const handler = methods[method];
    if (handler === undefined) {
      throw new WaymarkError('bug', `The store's thread knows no method ${method}.`);
    }
    return { type: 'result', id, value: await handler(...(args as never[])) };
  } catch (thrown) {
    return { type: 'failure', id, failure: toFailure(thrown) };
  }
}

/** Kinds whose bodies may be large. Nobody who listens needs them at once; who does asks by seq. */
const LARGE: ReadonlySet<EventKind> = new Set<EventKind>([
  'segment.started',
  'model.requested',
  'model.answered',
  'step.taught',
  'action.started',
  'action.observed',
  'file.changed',
  'summary.started',
  'summary.rejected',
  'step.inherited',
]);

/** A notice as it goes from thread to thread: carrying texts over costs as much as storing them. */
function toldNotice(notice: StoreNotice): StoreNotice {
  return notice.kind === 'run' && notice.events !== null
    ? { ...notice, events: notice.events.filter(({ kind }) => !LARGE.has(kind)) }
    : notice;
}
