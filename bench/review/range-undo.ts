import { join } from 'node:path';
import { openStore } from '../../electron/store/threads/client';
import { author } from '../engine/run-events';
import { type Bench, figure, median, rounds, size, spread, told } from '../harness';
import { labelEach, writeRun } from './labelled-run';

/** A person takes back a label on ten thousand steps: one entry, its steps' labels renewed, all durable. */
export const rangeUndo: Bench = {
  name: 'range-undo',
  about: 'undo of a label on 10,000 steps, given as one range and scattered over 5,000 pieces',
  async run(options) {
    const count = size(options, 10_000, 10_000, 1_000);
    const folder = join(options.folder, 'workspace');
    const run = await writeRun(folder, count);
    const store = await openStore(folder, {});
    const times = {
      undo: [] as number[],
      redo: [] as number[],
      over: [] as number[],
      scattered: [] as number[],
    };
    const label = { op: 'label', value: 'mask', reason: null } as const;
    const whole = { run, from: 1, to: count };
    const timed = async (into: number[], work: () => Promise<unknown>) => {
      const start = performance.now();
      await work();
      into.push(performance.now() - start);
    };
    try {
      for (let round = 0; round < rounds; round += 1) {
        await store.writer.annotate(author, whole, label);
        await timed(times.undo, () => store.writer.undo(run, author));
        await timed(times.redo, () => store.writer.redo(run, author));
        await store.writer.undo(run, author);
      }
      const parts = Array.from({ length: count / 2 }, (_, index) => ({
        from: index * 2 + 1,
        to: index * 2 + 1,
      }));
      const scattered = { run, from: 1, to: count - 1, parts };
      await store.writer.annotate(author, scattered, label);
      await timed(times.scattered, () => store.writer.undo(run, author));
      await labelEach(store, run, count, author, 3);
      for (let round = 0; round < rounds; round += 1) {
        await store.writer.annotate(author, whole, label);
        await timed(times.over, () => store.writer.undo(run, author));
      }
      const single: number[] = [];
      for (let round = 0; round < 50; round += 1) {
        await timed(single, () => store.writer.undo(run, author));
      }
      return [
        figure(
          'range-undo',
          median(times.undo),
          'ms',
          { is: '≤', value: 100 },
          {
            detail: `undo ${spread(times.undo)} ms, redo ${spread(times.redo)} ms, ${count} steps, one entry`,
          },
        ),
        told('range-undo-scattered', median(times.scattered), 'ms', {
          detail: `one entry over ${parts.length} pieces`,
        }),
        told('range-undo-over-own-labels', median(times.over), 'ms', {
          detail: `${spread(times.over)} ms; each of the ${count} steps gets its earlier label back`,
        }),
        told('undo-after-many', median(single), 'ms', {
          detail: `${spread(single)} ms; one label of a person with ${count} entries`,
        }),
      ];
    } finally {
      await store.close();
    }
  },
};
