import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../electron/store/client';
import { type Bench, figure, shorten, size } from '../harness';
import { driveShortRun } from './short-run';

const WINDOW = 200;

interface Written {
  /** What went to storage, counted in pages (`write_bytes`). */
  storage: number;
  /** What was handed to write calls (`wchar`). */
  calls: number;
}

/** Whether a step costs more to write the longer the run is: logs, heads, folds, index and checkpoints together. */
export const bytesWritten: Bench = {
  name: 'bytes-written',
  about:
    'bytes written per step (/proc/self/io), last 200 steps against the first 200 after the first checkpoint',
  async run(options) {
    if (process.platform !== 'linux') throw new Error('/proc/self/io exists on Linux only.');
    const steps = size(options, 2_000, 10_000, 700);
    const folder = join(options.folder, 'workspace');
    const samples: Written[] = [];
    let checkpointedAt: number | null = null;
    let sequence: number | null = null;
    const store = await openStore(folder, {});
    await driveShortRun(store, steps, (step) => {
      samples.push(written());
      const now = checkpointSequence(join(folder, 'workspace.db-wal'));
      sequence ??= now;
      if (now !== sequence) checkpointedAt ??= step;
    });
    await store.close();
    const last = perStep(samples, samples.length - WINDOW - 1);
    if (checkpointedAt === null || checkpointedAt + 2 * WINDOW > samples.length) {
      throw new Error(
        `The first checkpoint came at step ${checkpointedAt ?? 'none'}: too late for two windows.`,
      );
    }
    const first = perStep(samples, checkpointedAt);
    // On a file system without a disk below, the kernel counts no storage.
    const by = first.storage > 0 ? 'storage' : 'calls';
    const value = last[by] / first[by];
    const detail = `${shorten(last[by])} against ${shorten(first[by])} B a step (${by === 'storage' ? 'write_bytes' : 'wchar'}); handed to write calls ${shorten(last.calls)} against ${shorten(first.calls)}; ${steps} steps, first checkpoint at step ${checkpointedAt}`;
    return [figure('bytes-written', value, '×', { is: '≤', value: 1.3 }, { baseline: first[by], detail })];
  },
};

/** Mean per step over the window that begins with sample `from`. */
function perStep(samples: readonly Written[], from: number): Written {
  const begin = samples[from];
  const end = samples[from + WINDOW];
  if (begin === undefined || end === undefined)
    throw new Error(`There is no window of ${WINDOW} steps at ${from}.`);
  return { storage: (end.storage - begin.storage) / WINDOW, calls: (end.calls - begin.calls) / WINDOW };
}

function written(): Written {
  const io = readFileSync('/proc/self/io', 'utf8');
  const value = (name: string) => Number(new RegExp(`^${name}: (\\d+)`, 'm').exec(io)?.[1] ?? Number.NaN);
  return { storage: value('write_bytes'), calls: value('wchar') };
}

/** Bytes 12 to 15 of a WAL file count its checkpoints. */
function checkpointSequence(path: string): number {
  if (!existsSync(path)) return -1;
  const header = Buffer.alloc(16);
  const file = openSync(path, 'r');
  try {
    return readSync(file, header, 0, 16, 0) === 16 ? header.readUInt32BE(12) : -1;
  } finally {
    closeSync(file);
  }
}
