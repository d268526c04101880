import { durability } from './durability/durability';
import { appendStep } from './engine/append-step';
import { bytesWritten } from './engine/bytes-written';
import { indexCatchUp } from './engine/index-catch-up';
import { loopOverhead } from './engine/loop-overhead';
import { sessionOutput } from './engine/session-output';
import type { Bench } from './harness';

/** In the order they run: the window first, while the machine is quiet. */
export const benches: readonly Bench[] = [
  appendStep,
  indexCatchUp,
  loopOverhead,
  bytesWritten,
  sessionOutput,
  durability,
];
