import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { openStore } from '../../electron/store/threads/client';
import { type Bench, figure, median, rounds, size, spread } from '../harness';
import { Material } from './material';
import { commandStep, creation } from './run-events';

/** The search index is thrown away and built again from the log, as it would be after a crash or a long absence. */
export const indexCatchUp: Bench = {
  name: 'index-catch-up',
  about: 'build the search index of a run from its log, MB of text per second',
  async run(options) {
    const steps = size(options, 10_000, 50_000, 300);
    const folder = join(options.folder, 'workspace');
    const material = new Material(2);
    const run = ulid();
    let bytes = 0;
    const store = await openStore(folder, {});
    await store.writer.append(run, 1, creation(run, steps));
    for (let step = 1; step <= steps; step += 50) {
      const events = Array.from({ length: Math.min(50, steps - step + 1) }, (_, at) => {
        const made = commandStep(step + at, 5_000, material);
        bytes += made.bytes;
        return [...made.action, ...made.observation];
      });
      await store.writer.append(run, 1, events.flat());
    }
    await store.drain();
    await store.close();
    const rates: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      for (const file of readdirSync(folder).filter((name) => name.startsWith('search.db'))) {
        rmSync(join(folder, file));
      }
      const start = performance.now();
      const again = await openStore(folder, {});
      await again.drain();
      rates.push(bytes / 1e6 / ((performance.now() - start) / 1000));
      const { total, behind } = await again.reader.search({
        run,
        query: 'gradient',
        from: { step: 1, direction: 1 },
        limit: 1,
      });
      await again.close();
      if (total === 0 || behind > 0) {
        throw new Error(
          `The index did not catch up: ${total} hits for a common word, ${behind} steps behind.`,
        );
      }
    }
    return [
      figure(
        'index-catch-up',
        median(rates),
        'MB/s',
        { is: '≥', value: 10 },
        {
          detail: `${spread(rates)} MB/s over ${rounds} rounds, ${steps} steps, ${(bytes / 1e6).toFixed(1)} MB of text, opening included`,
        },
      ),
    ];
  },
};
