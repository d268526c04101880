import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { workspaceFile } from '../../electron/store/file/workspace-file';
import { openStore } from '../../electron/store/threads/client';
import { bareMerge } from '../baselines/bare-merge';
import { type Bench, figure, median, rounds, size, spread, told } from '../harness';
import { labelEach, writeRun } from './labelled-run';

/** Two people labelled the same run in copies of one workspace; one takes over the other's log. */
export const mergeLabels: Bench = {
  name: 'merge-labels',
  about: 'merge of 2 × 10,000 labels: chains checked, entries stored, every step folded again',
  async run(options) {
    const count = size(options, 10_000, 10_000, 1_000);
    const base = join(options.folder, 'base');
    const run = await writeRun(base, count);
    const folders = { ada: join(options.folder, 'ada'), bo: join(options.folder, 'bo') };
    // Beside one another: nothing is measured yet.
    await Promise.all(
      Object.entries(folders).map(async ([name, folder]) => {
        cpSync(base, folder, { recursive: true });
        const store = await openStore(folder, {});
        await labelEach(store, run, count, { uuid: name, name }, name === 'ada' ? 5 : 7);
        await store.drain();
        await store.close();
      }),
    );
    const ours: number[] = [];
    const again: number[] = [];
    const baseline: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      baseline.push(1000 * bareMerge(join(options.folder, `bare-${round}.db`), workspaceFile(folders.bo)));
      const folder = join(options.folder, `merged-${round}`);
      cpSync(folders.ada, folder, { recursive: true });
      const store = await openStore(folder, {});
      try {
        // All of its threads have begun, as in a window that somebody has opened before.
        await Promise.all([store.drain(), store.reader.runs(), store.reader.searchWorkspace('part', 1)]);
        let start = performance.now();
        const report = await store.writer.merge(folders.bo);
        ours.push(performance.now() - start);
        const differ = Math.floor(count / 5) + Math.floor(count / 7) - 2 * Math.floor(count / 35);
        if (report.added !== count || report.disagreements !== differ) {
          throw new WaymarkError(
            'bug',
            `The merge took ${report.added} entries, ${report.disagreements} differ.`,
          );
        }
        start = performance.now();
        await store.writer.merge(folders.bo);
        again.push(performance.now() - start);
      } finally {
        await store.close();
      }
    }
    return [
      figure(
        'merge-labels',
        median(ours),
        'ms',
        { is: '≤', value: 400 },
        {
          baseline: median(baseline),
          detail: `${spread(ours)} ms, bare rows ${spread(baseline)} ms, ${count} entries into ${count}`,
        },
      ),
      told('merge-labels-again', median(again), 'ms', { detail: `${spread(again)} ms; nothing is new` }),
    ];
  },
};
