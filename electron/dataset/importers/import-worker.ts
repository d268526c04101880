import { parentPort, workerData } from 'node:worker_threads';
import { toFailure, WaymarkError } from '@shared/contract/errors';
import type { ImportTask, ImportWord } from './import-thread';
import { readGymRun } from './researchgym/read-run';

/**
 * Entry of the thread that reads a log of another system and takes it apart. It knows no store and runs no SQL, so that it can be
 * ended in the middle. It hands over one part each time it is asked.
 */
const port = parentPort;
if (port === null) {
  throw new WaymarkError('bug', 'This file is the entry of a worker thread and was loaded elsewhere.');
}
const say = (word: ImportWord) => port.postMessage(word);
const { path, options } = workerData as ImportTask;

readGymRun(path, options, (progress) => say({ is: 'progress', progress })).then(
  ({ head, parts }) => {
    const rest = parts[Symbol.iterator]();
    port.on('message', () => {
      const next = rest.next();
      say({ is: 'part', part: next.done === true ? null : next.value });
      if (next.done === true) port.close();
    });
    say({ is: 'head', head });
  },
  (thrown: unknown) => {
    say({ is: 'failure', failure: toFailure(thrown) });
    port.close();
  },
);
