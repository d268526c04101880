import type { StepQuery } from '@shared/contract/step-query';
import type { StoreReader } from '../../electron/store/api';
import { readerIn } from '../../electron/store/queries/answers';
import { openReads } from '../../electron/store/queries/reads';
import type { RealisticWorkspace } from '../../electron/testing/realistic-run';
import { type Figure, figure, latency, quantile, shorten, size, spread, told } from '../harness';

/** What filters ask for most, alone and together. */
const queries: Record<string, StepQuery> = {
  mask: { label: ['mask'] },
  undecided: { label: ['undecided'] },
  human: { source: ['human'] },
  differing: { marks: ['disagreement', 'low_confidence'] },
  tool: { tool: ['edit_file'] },
  computer: { computer: ['gpu-1'] },
  thinking: { kind: ['think'] },
  error: { error: true },
  hint: { hint: true },
  rule: { rule: ['command-failed'] },
  together: { label: ['mask', 'undecided'], tool: ['run_command', 'edit_file'], error: true },
};

function open(folder: string): { reader: StoreReader; close(): void } {
  const { reads, close } = openReads(folder);
  return { reader: readerIn({ read: reads }, async () => undefined), close };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

async function times(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const all: number[] = [];
  for (let round = 0; round < count; round += 1) all.push(await timed(work));
  return all;
}

/** The store's part of opening a run: a fresh connection, the run, its first steps, minimap and segments. */
export async function measureOpening(
  name: string,
  { folder, run, steps }: RealisticWorkspace,
): Promise<Figure[]> {
  const parts: string[] = [];
  const before = performance.now();
  const { reader, close } = open(folder);
  try {
    const asked: [string, () => Promise<unknown>][] = [
      ['run', () => reader.run(run)],
      ['steps', () => reader.heads(run, 1, 200)],
      ['minimap', () => reader.tiles(run)],
      ['segments', () => reader.segments(run)],
    ];
    for (const [what, ask] of asked) parts.push(`${what} ${shorten(await timed(ask))}`);
    const whole = performance.now() - before;
    return [told(`store-open-${name}`, whole, 'ms', { detail: `${steps} steps; ${parts.join(', ')} ms` })];
  } finally {
    close();
  }
}

/** Minimap, counts and lists of steps that match. */
export async function measureQueries({ folder, run, steps }: RealisticWorkspace): Promise<Figure[]> {
  const { reader, close } = open(folder);
  const count = size({ long: false }, 15, 15, 3);
  try {
    const tiles = await times(count, () => reader.tiles(run));
    const worst = async (asked: number, ask: (query: StepQuery) => Promise<unknown>) => {
      const each: { name: string; p95: number }[] = [];
      for (const [name, query] of Object.entries(queries)) {
        each.push({ name, p95: quantile(await times(asked, () => ask(query)), 0.95) });
      }
      each.sort((a, b) => b.p95 - a.p95);
      const detail = each.map(({ name, p95 }) => `${name} ${shorten(p95)}`).join(', ');
      return { value: each[0]?.p95 ?? Number.NaN, detail: `p95 of each: ${detail}` };
    };
    // Of fewer than twenty the p95 would be the one that something else held up.
    const counts = await worst(size({ long: false }, 40, 40, 3), (query) => reader.countMatches(run, query));
    const lists = await worst(count, (query) => reader.matches(run, query));
    const facets = await times(3, () => reader.facets(run));
    return [
      latency('minimap', tiles, 20, `${steps} steps`),
      figure('filtered-count', counts.value, 'ms', { is: '≤', value: 15 }, { detail: counts.detail }),
      figure('filtered-steps', lists.value, 'ms', { is: '≤', value: 60 }, { detail: lists.detail }),
      told('facets', quantile(facets, 0.5), 'ms', {
        detail: `tools, rules and computers, counted; ${spread(facets)} ms`,
      }),
    ];
  } finally {
    close();
  }
}
