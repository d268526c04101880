import { join } from 'node:path';
import { exportVariants } from '@shared/contract/export-request';
import { eventPages } from '../../electron/dataset/event-pages';
import { previewDataset } from '../../electron/dataset/preview-dataset';
import { openStore } from '../../electron/store/threads/client';
import { realisticWorkspace } from '../../electron/testing/realistic-run';
import { alternate, type Bench, type Figure, figure, median, quick, spread } from '../harness';
import { runCache } from '../window/desktop';

/** What an export of 10,000 labelled steps would write, counted for all five variants, against reading their events alone. */
export const exportPreview: Bench = {
  name: 'export-preview',
  about: 'counts of an export of 10,000 steps in five variants, against reading the same events',
  async run({ folder, say }): Promise<Figure[]> {
    say('copying the run M, or building it the first time');
    const {
      run,
      steps,
      folder: workspace,
    } = await realisticWorkspace('M', {
      folder: join(folder, 'M'),
      cache: runCache(),
      labels: true,
      ...(quick ? { steps: 600 } : {}),
    });
    const store = await openStore(workspace, { ballastBytes: 0 });
    const { reader } = store;
    const { seq } = await reader.run(run);
    let rows = 0;
    try {
      const { baseline, ours } = await alternate(
        () => timed(() => readAll(reader, run, seq)),
        () =>
          timed(async () => {
            const asked = { undecided: 'train' as const, runs: [run], variants: [...exportVariants] };
            rows = (await previewDataset(reader, asked)).rows;
          }),
      );
      const detail = `${spread(ours)} ms, events alone ${spread(baseline)} ms, ${steps} steps, ${rows} rows`;
      const bar = { is: '≤', value: 3_000 } as const;
      return [figure('export-preview', median(ours), 'ms', bar, { baseline: median(baseline), detail })];
    } finally {
      await store.close();
    }
  },
};

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

async function readAll(reader: Parameters<typeof eventPages>[0], run: string, to: number): Promise<void> {
  let events = 0;
  for await (const page of eventPages(reader, run, { from: 1, to })) events += page.length;
  if (events !== to) throw new Error(`${events} events of ${to}`);
}
