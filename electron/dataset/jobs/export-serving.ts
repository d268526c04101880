import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { toFailure, WaymarkError } from '@shared/contract/errors';
import type { ExportTask } from './export-runner';
import type { ExportOrder, ExportThreadData, ExportWord } from './export-thread';
import type { FindingsOrder, FindingsWord } from './findings-threads';
import { runExport } from './run-export';
import { runFindings } from './run-findings';

/** Most texts are shorter than half of this. With memory of its own for each of many hundred thousand, V8 would count and free each. */
const POOL_BYTES = 256 * 1024;

/**
 * Exports in this thread, or looks for secrets before an export. It opens the workspace to read it, and lets go of it before it ends.
 */
export function serveExports(): void {
  const port = parentPort;
  if (port === null) throw new WaymarkError('bug', 'Exports are written in a worker thread.');
  Buffer.poolSize = POOL_BYTES;
  const { work, resourcesPath } = workerData as ExportThreadData;
  if (resourcesPath !== null && !('resourcesPath' in process)) Object.assign(process, { resourcesPath });
  if (work.is === 'export') exportOnce(port, work.task);
  else lookForSecrets(port);
}

function exportOnce(to: MessagePort, task: ExportTask): void {
  const say = (word: ExportWord) => to.postMessage(word);
  const running = runExport(task, (progress) => say({ is: 'progress', progress }));
  to.on('message', (order: ExportOrder) => running[order]());
  running.done
    .then(
      (done) => say({ is: 'done', done }),
      (thrown: unknown) => say({ is: 'failure', failure: toFailure(thrown) }),
    )
    .finally(() => to.close());
}

function lookForSecrets(to: MessagePort): void {
  let end = new AbortController();
  to.on('message', (order: FindingsOrder) => {
    if (order === 'end') return to.close();
    if (order === 'cancel') return end.abort();
    end = new AbortController();
    runFindings(order, end.signal)
      .then(
        (view): FindingsWord => ({ view }),
        (thrown: unknown): FindingsWord => ({ failure: toFailure(thrown) }),
      )
      .then((word) => to.postMessage(word));
  });
}
