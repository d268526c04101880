import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { childCommand } from '../child-process';
import { type BenchOptions, type Figure, figure, size } from '../harness';
import { cores, inLanes } from '../lanes';
import type { CutLane } from './cut-lane';
import { traced } from './strace';
import { RECORDED_CALLS } from './write-log';

/**
 * Records every write of a process, cuts the power right before each sync, with nothing, all or any part of the
 * unsynced bytes on the disk, and looks whether every row that had been acknowledged by then is there.
 */
export async function cutPoints(options: BenchOptions): Promise<Figure[]> {
  const cuts = size(options, 1_000, 2_000, 40);
  const folder = join(options.folder, 'cuts');
  const recorded = join(folder, 'recorded');
  mkdirSync(recorded, { recursive: true });
  const steps = Math.max(12, Math.round(cuts * 0.3));
  const command = childCommand('writer', [recorded, String(steps)]);
  await traced(join(folder, 'writes.trace'), RECORDED_CALLS, command);
  const dealt = Array.from({ length: cores }, (_, lane) => [folder, ...[cuts, lane, cores].map(String)]);
  const lanes = await inLanes<CutLane>('cuts', dealt);
  const lost = lanes.flatMap((lane) => lane.lost);
  const done = lanes.reduce((sum, lane) => sum + lane.done, 0);
  if (done !== cuts) throw new Error(`${done} of ${cuts} cuts were made.`);
  for (const line of lost.slice(0, 10)) options.say(line);
  const { syncs = 0, acknowledged = 0, megabytes = 0 } = lanes[0] ?? {};
  return [
    figure(
      'durability-cuts',
      lost.length,
      'lost',
      { is: '≤', value: 0 },
      {
        detail: `${done} cuts at ${syncs} syncs, ${acknowledged} acknowledgements, ${megabytes.toFixed(1)} MB of writes`,
      },
    ),
  ];
}
