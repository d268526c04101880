import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../electron/store/threads/client';
import { driveShortRun } from '../engine/short-run';
import { type Bench, byRound, figure, median, rounds, shorten, size } from '../harness';

const WINDOW = 100;
/** Steps at either end whose bytes are compared: more than one summary and one copy of the write-ahead log. */
const BYTES_WINDOW = 500;
const CONTEXT = 20_000;

/** A long run whose context is summarised again and again: what a step costs early and late, and every prompt rebuilt. */
export const longContext: Bench = {
  name: 'long-context',
  about: 'loop ms and bytes per step, last against first steps of a run with summaries; every prompt rebuilt',
  async run(options) {
    const steps = size(options, 2_500, 10_000, 1_200);
    const growth: number[] = [];
    const bytes: number[] = [];
    let [requests, differ, segments, rows, unlike] = [0, 0, 0, 0, 0];
    for (let round = 0; round < (options.long ? 1 : rounds); round += 1) {
      const store = await openStore(join(options.folder, `run-${round}`), { ballastBytes: 0 });
      const samples: number[] = [];
      const about = { contextTokens: CONTEXT, thought: 300, output: 1_500 };
      const ms = await driveShortRun(store, steps, () => samples.push(written()), about);
      growth.push(median(ms.slice(-WINDOW)) / median(ms.slice(0, WINDOW)));
      bytes.push(perStep(samples, samples.length - BYTES_WINDOW) / perStep(samples, 0));
      const [run] = await store.reader.runs();
      segments = run?.segments ?? 0;
      const report = await store.reader.verify();
      for (const { problems } of report.runs) {
        const other = problems.filter(({ what }) => what === 'row_not_sent');
        differ += problems.length - other.length;
        unlike += new Set(other.map(({ where }) => where.replace(/ message .*/u, ''))).size;
      }
      rows += 2 * segments - 1;
      requests += steps + segments - 1;
      await store.close();
      options.say(`round ${round + 1}: ${shorten(median(ms))} ms a step, ${segments} segments`);
    }
    const detail = `${steps} steps, ${segments} segments`;
    return [
      figure(
        ...(['long-context-growth', median(growth), '×'] as const),
        { is: '≤', value: 1.3 },
        {
          detail: `median of the last ${WINDOW} steps over the first; ${detail}: ${byRound(growth)}`,
        },
      ),
      figure(
        ...(['long-context-bytes', median(bytes), '×'] as const),
        { is: '≤', value: 1.3 },
        { detail: `last ${BYTES_WINDOW} steps over the first; ${detail}: ${byRound(bytes)}` },
      ),
      figure(
        ...(['prompts-rebuilt', (100 * (requests - differ)) / requests, '%'] as const),
        { is: '≥', value: 100 },
        { detail: `${requests} requests, ${differ} problems found by verify` },
      ),
      figure(
        ...(['rows-as-sent', (100 * (rows - unlike)) / rows, '%'] as const),
        { is: '≥', value: 100 },
        {
          detail: `${rows} rows compared by verify with the requests that were answered, message by message`,
        },
      ),
    ];
  },
};

/** Bytes handed to write calls by this process so far. */
function written(): number {
  const file = openSync('/proc/self/io', 'r');
  try {
    return Number(/^wchar: (\d+)/mu.exec(readFileSync(file, 'utf8'))?.[1] ?? Number.NaN);
  } finally {
    closeSync(file);
  }
}

function perStep(samples: readonly number[], from: number): number {
  const end = Math.min(samples.length - 1, from + BYTES_WINDOW);
  return ((samples[end] ?? Number.NaN) - (samples[from] ?? Number.NaN)) / (end - from);
}
