import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../electron/store/threads/client';
import { type Bench, byRound, figure, median, rounds, shorten, size, spread } from '../harness';
import { driveShortRun } from './short-run';

const WINDOW = 200;

interface Written {
  /** What went to storage, counted in pages (`write_bytes`). */
  storage: number;
  /** What was handed to write calls (`wchar`). */
  calls: number;
}

/**
 * Whether a step costs more to write the longer the run is: log, heads, folds, index and checkpoints together. A
 * window begins and ends with a checkpoint, else it would depend on where the checkpoints fall.
 */
export const bytesWritten: Bench = {
  name: 'bytes-written',
  about:
    'bytes written per step (/proc/self/io), last against first window of 200 steps and more between checkpoints',
  async run(options) {
    if (process.platform !== 'linux') throw new Error('/proc/self/io exists on Linux only.');
    const steps = size(options, 2_500, 20_000, 1_500);
    const results: Windows[] = [];
    // The index works by the clock, so a busy machine moves a single run; the median of the rounds counts.
    for (let round = 0; round < rounds; round += 1) {
      const windows = await measure(join(options.folder, `workspace-${round}`), steps);
      options.say(
        `round ${round + 1}: ${shorten(windows.last)} against ${shorten(windows.first)} B, ${windows.what}`,
      );
      results.push(windows);
    }
    const ratios = results.map(({ first, last }) => last / first);
    const detail = `B a step: last ${spread(results.map(({ last }) => last))}, first ${spread(results.map(({ first }) => first))}, ratio ${byRound(ratios)}; ${steps} steps`;
    const baseline = median(results.map(({ first }) => first));
    return [figure('bytes-written', median(ratios), '×', { is: '≤', value: 1.3 }, { baseline, detail })];
  },
};

interface Windows {
  /** Bytes a step. */
  first: number;
  last: number;
  what: string;
}

async function measure(folder: string, steps: number): Promise<Windows> {
  const samples: Written[] = [];
  const checkpoints: number[] = [];
  let sequence = -1;
  // The file that keeps room on a full disk is written once, some time after the opening: no cost of a step.
  const store = await openStore(folder, { ballastBytes: 0 });
  await driveShortRun(store, steps, (step) => {
    samples.push(written());
    const now = checkpointSequence(join(folder, 'workspace.db-wal'));
    if (now !== sequence && sequence >= 0) checkpoints.push(step - 1);
    sequence = now;
  });
  await store.close();
  const end = checkpoints.findIndex((at) => at - (checkpoints[0] ?? 0) >= WINDOW);
  const begin = checkpoints.findLastIndex((at) => (checkpoints.at(-1) ?? 0) - at >= WINDOW);
  if (end < 0 || begin < end) {
    throw new Error(`Two windows need more checkpoints than at the steps ${checkpoints.join(', ')}.`);
  }
  const first = perStep(samples, checkpoints[0] ?? 0, checkpoints[end] ?? 0);
  const last = perStep(samples, checkpoints[begin] ?? 0, checkpoints.at(-1) ?? 0);
  // On a file system without a disk below, the kernel counts no storage.
  const by = first.storage > 0 ? 'storage' : 'calls';
  const where = `steps ${checkpoints[begin]}–${checkpoints.at(-1)} against ${checkpoints[0]}–${checkpoints[end]}`;
  const what = `${by === 'storage' ? 'write_bytes' : 'wchar'}, ${where}`;
  return { first: first[by], last: last[by], what };
}

/** Mean per step between two samples. */
function perStep(samples: readonly Written[], from: number, to: number): Written {
  const begin = samples[from];
  const end = samples[to];
  if (begin === undefined || end === undefined) throw new Error(`There are no steps ${from} to ${to}.`);
  return {
    storage: (end.storage - begin.storage) / (to - from),
    calls: (end.calls - begin.calls) / (to - from),
  };
}

/** Of this process so far. */
export function written(): Written {
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
