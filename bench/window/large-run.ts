import { join } from 'node:path';
import { openStore } from '../../electron/store/threads/client';
import { realisticWorkspace } from '../../electron/testing/realistic-run';
import {
  type Bench,
  type BenchOptions,
  type Figure,
  figure,
  median,
  quick,
  shorten,
  spread,
} from '../harness';
import { application, emptyList, prepareDemo, runCache } from './desktop';
import { measureKeys } from './key-latency';
import { measureMemory } from './memory-large';
import { measureOpening } from './open-run';
import { openWindow } from './open-window';
import { measureScrolling } from './scroll-large';

/** A workspace with a realistic run and a short one beside it. */
export interface LargeRun {
  size: 'S' | 'M' | 'L';
  folder: string;
  run: string;
  steps: number;
}

/** Opening, scrolling, jumping, labelling and memory with 500, 10,000 and 174,500 steps in the real window. */
export const largeRun: Bench = {
  name: 'large-run',
  about:
    'the timeline in the window with 500, 10,000 and 174,500 steps, against an empty list of the same length',
  async run(options) {
    const figures: Figure[] = [];
    const opened = new Map<LargeRun['size'], number>();
    const memory = new Map<LargeRun['size'], number[]>();
    // It takes minutes: what is known is told at once.
    const add = (own: Figure[]): void => {
      figures.push(...own);
      for (const { name, value, unit, detail } of own)
        options.say(`${name}: ${shorten(value)} ${unit}, ${detail}`);
    };
    for (const size of ['S', 'M', 'L'] as const) {
      const large = await prepare(size, options);
      const ours = await openWindow(application(large.folder));
      try {
        const { first, figures: own } = await measureOpening(ours.page, large);
        opened.set(size, first);
        add(own);
        if (size === 'L') {
          const list = await openWindow(emptyList(join(options.folder, 'list'), large.steps));
          try {
            add(await measureScrolling(ours.page, list.page));
          } finally {
            await list.app.close();
          }
          add(await measureKeys(ours.page, large, options));
        }
        if (size !== 'S') memory.set(size, await measureMemory(ours, large));
      } finally {
        await ours.app.close();
      }
    }
    return [...figures, ...compare(opened, memory)];
  },
};

function compare(
  opened: ReadonlyMap<LargeRun['size'], number>,
  memory: ReadonlyMap<LargeRun['size'], readonly number[]>,
): Figure[] {
  const painted = (size: LargeRun['size']) => opened.get(size) ?? Number.NaN;
  const held = (size: LargeRun['size']) => memory.get(size) ?? [];
  return [
    figure(
      'open-l-over-m',
      painted('L') / painted('M'),
      '×',
      { is: '≤', value: 1.5 },
      { detail: `median first paint: L ${shorten(painted('L'))} ms, M ${shorten(painted('M'))} ms` },
    ),
    figure(
      'memory-l',
      median(held('L')),
      'MB',
      { is: '≤', value: 450 },
      { detail: `PSS of the window's process after scrolling end to end: ${spread(held('L'))} MB` },
    ),
    figure(
      'memory-l-over-m',
      median(held('L')) / median(held('M')),
      '×',
      { is: '≤', value: 1.1 },
      { detail: `after scrolling both end to end; M ${spread(held('M'))} MB` },
    ),
  ];
}

/** Built once and kept in the machine's cache; the search index is complete before anything is measured. */
async function prepare(size: LargeRun['size'], { folder, say }: BenchOptions): Promise<LargeRun> {
  const own = join(folder, size);
  // Quick: only that it works.
  const steps = quick && size !== 'S' ? { steps: size === 'M' ? 600 : 1_500 } : {};
  const { run, ...made } = await realisticWorkspace(size, {
    folder: join(own, 'workspace'),
    cache: runCache(),
    labels: true,
    finish: { name: 'searchable', work: indexed },
    ...steps,
  });
  // The index of an older version is built again.
  await indexed(join(own, 'workspace'));
  say(`${size}: ${made.steps} steps, ${made.events} events`);
  await prepareDemo(own);
  return { size, folder: own, run, steps: made.steps };
}

async function indexed(workspace: string): Promise<void> {
  const store = await openStore(workspace, { ballastBytes: 0 });
  await store.drain();
  await store.close();
}
