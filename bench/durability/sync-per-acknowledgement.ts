import { join } from 'node:path';
import { childCommand } from '../child-process';
import { type BenchOptions, type Figure, figure, size } from '../harness';
import { descriptor, traced, tracedCalls, unhex } from './strace';

const SYNCS = new Set(['fsync', 'fdatasync']);

/** Counts the syncs between two acknowledgements of a process that asks for one write at a time. */
export async function syncPerAcknowledgement(options: BenchOptions): Promise<Figure[]> {
  const steps = size(options, 400, 2_000, 30);
  const trace = join(options.folder, 'syncs.trace');
  const command = childCommand('writer', [join(options.folder, 'synced'), String(steps)]);
  await traced(trace, ['fsync', 'fdatasync', 'write'], command);
  const between: number[] = [];
  let since = 0;
  for await (const { name, args, result } of tracedCalls(trace)) {
    if (SYNCS.has(name) && result.startsWith('0')) since += 1;
    if (
      name === 'write' &&
      descriptor(args).fd === 1 &&
      unhex(args.slice(args.indexOf('"'))).includes('ack ')
    ) {
      between.push(since);
      since = 0;
    }
  }
  const least = between.reduce((a, b) => Math.min(a, b), between.length === 0 ? 0 : Number.POSITIVE_INFINITY);
  const all = between.reduce((a, b) => a + b, 0);
  return [
    figure(
      'durability-syncs',
      least,
      'syncs',
      { is: '≥', value: 1 },
      {
        detail: `the fewest before any of ${between.length} acknowledgements; ${(all / between.length).toFixed(2)} on average`,
      },
    ),
  ];
}
