import { join } from 'node:path';
import { ContextFold } from '@shared/context/context';
import { openStore } from '../../electron/store/threads/client';
import { WithoutLine } from '../baselines/without-line';
import { type Bench, type BenchOptions, median, ratio, rounds, type Sides, shorten, size } from '../harness';
import { written } from './bytes-written';
import { driveShortRun } from './short-run';

/** Most that the line may add to a step. */
const bar = { is: '≤', value: 1.05 } as const;

interface Step {
  ms: number;
  bytes: number;
}

/** What it costs a step that the line on the budgets stays in the message with which it was sent. */
export const budgetLine: Bench = {
  name: 'budget-line',
  about: 'ms and bytes of a step with the line on the budgets that stays, against the same step without it',
  async run(options) {
    const steps = size(options, 1_200, 10_000, 250);
    const ms: Sides = { baseline: [], ours: [] };
    const bytes: Sides = { baseline: [], ours: [] };
    for (let round = 0; round < rounds; round += 1) {
      // Who goes first changes: what one side leaves behind, caches and garbage, must not always fall to the other.
      const turns = round % 2 === 0 ? (['baseline', 'ours'] as const) : (['ours', 'baseline'] as const);
      for (const side of turns) {
        const step = await measure(options, `${side}-${round}`, steps, side === 'ours');
        ms[side].push(step.ms);
        bytes[side].push(step.bytes);
        options.say(`round ${round + 1}, ${side}: ${shorten(step.ms)} ms, ${shorten(step.bytes)} B`);
      }
    }
    const extra = `${steps} short steps, without the line as the baseline`;
    return [
      ratio('budget-line-ms', ms, 'ms', bar, extra),
      ratio('budget-line-bytes', bytes, 'B', bar, `${extra}; what was handed to write calls`),
    ];
  },
};

async function measure(
  { folder }: Pick<BenchOptions, 'folder'>,
  name: string,
  steps: number,
  withLine: boolean,
): Promise<Step> {
  // As in `bytes-written`: the file that keeps room on a full disk is no cost of a step.
  const store = await openStore(join(folder, name), { ballastBytes: 0 });
  const context = withLine
    ? new ContextFold({ sendReasoning: false })
    : new WithoutLine({ sendReasoning: false });
  const before = written().calls;
  const ms = await driveShortRun(store, steps, undefined, { context });
  await store.close();
  const lines = context.messages().filter(({ message }) => JSON.stringify(message).includes('[Budget: '));
  if (lines.length !== (withLine ? steps : 0)) {
    throw new Error(`The context of ${steps} steps holds ${lines.length} lines on budgets.`);
  }
  return { ms: median(ms), bytes: (written().calls - before) / steps };
}
