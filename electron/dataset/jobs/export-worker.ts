import { parentPort, workerData } from 'node:worker_threads';
import { toFailure, WaymarkError } from '@shared/contract/errors';
import type { ExportOrder, ExportThreadData, ExportWord } from './export-thread';
import { runExport } from './run-export';

/** Entry of the thread of an export. It opens the workspace to read it, and lets go of it before it ends. */
const port = parentPort;
if (port === null) {
  throw new WaymarkError('bug', 'This file is the entry of a worker thread and was loaded elsewhere.');
}
const say = (word: ExportWord) => port.postMessage(word);
const { task, resourcesPath } = workerData as ExportThreadData;
if (resourcesPath !== null && !('resourcesPath' in process)) Object.assign(process, { resourcesPath });

const running = runExport(task, (progress) => say({ is: 'progress', progress }));
port.on('message', (order: ExportOrder) => running[order]());
running.done
  .then(
    (done) => say({ is: 'done', done }),
    (thrown: unknown) => say({ is: 'failure', failure: toFailure(thrown) }),
  )
  .finally(() => port.close());
