import { join } from 'node:path';
import {
  type RealisticSize,
  type RealisticWorkspace,
  realisticWorkspace,
} from '../../electron/testing/realistic-run';
import { type Bench, type BenchOptions, type Figure, quick } from '../harness';
import { runCache } from '../window/desktop';
import { measureKeys } from './key-on-large';
import { measureOpening, measureQueries } from './read-large';
import { measureRebuild, measureVerify } from './verify-large';

/**
 * What the store answers with 174,500 steps and a gigabyte of text, without any window. The runs are those of `large-run`,
 * built once and kept.
 */
export const reviewStore: Bench = {
  name: 'review-store',
  about: 'minimap, filters, verification, rebuild and labels with 174,500 steps, in the store alone',
  async run(options) {
    const figures: Figure[] = [];
    for (const size of ['S', 'M'] as const)
      figures.push(...(await measureOpening(size, await copyOf(size, options))));
    const large = await copyOf('L', options);
    figures.push(...(await measureOpening('L', large)));
    figures.push(...(await measureQueries(large)));
    figures.push(await measureVerify(large));
    figures.push(...(await measureRebuild(large)));
    figures.push(await measureKeys(large));
    return figures;
  },
};

function copyOf(size: RealisticSize, { folder, say }: BenchOptions): Promise<RealisticWorkspace> {
  say(`copying the run ${size}, or building it the first time`);
  const small = quick && size !== 'S' ? { steps: size === 'M' ? 600 : 1_500 } : {};
  return realisticWorkspace(size, { folder: join(folder, size), cache: runCache(), labels: true, ...small });
}
