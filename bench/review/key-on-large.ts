import { openStore } from '../../electron/store/threads/client';
import type { RealisticWorkspace } from '../../electron/testing/realistic-run';
import { Material } from '../engine/material';
import { author } from '../engine/run-events';
import { type Figure, figure, quantile, size, spread } from '../harness';

/** A label of one step, from the asker's thread until it is durable and the asker knows. */
export async function measureKeys({ folder, run, steps }: RealisticWorkspace): Promise<Figure> {
  const store = await openStore(folder, { ballastBytes: 0 });
  const chance = new Material(5);
  const times: number[] = [];
  try {
    for (let key = 0; key < size({ long: false }, 300, 300, 20); key += 1) {
      const step = 1 + chance.whole(steps);
      const value = chance.random() < 0.5 ? ('train' as const) : ('mask' as const);
      const before = performance.now();
      await store.writer.annotate(
        author,
        { run, from: step, to: step },
        { op: 'label', value, reason: null },
      );
      times.push(performance.now() - before);
    }
  } finally {
    await store.close();
  }
  const detail = `${spread(times)} ms, ${times.length} labels on ${steps} steps, through the store's threads`;
  return figure('label-durable', quantile(times, 0.95), 'ms', { is: '≤', value: 100 }, { detail });
}
