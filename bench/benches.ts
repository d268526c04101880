import { durability } from './durability/durability';
import { appendStep } from './engine/append-step';
import { bytesWritten } from './engine/bytes-written';
import { indexCatchUp } from './engine/index-catch-up';
import { loopOverhead } from './engine/loop-overhead';
import { sessionOutput } from './engine/session-output';
import type { Bench } from './harness';
import { keyLatency } from './window/key-latency';
import { windowMemory } from './window/window-memory';
import { windowStart } from './window/window-start';

/** In the order they run. */
export const benches: readonly Bench[] = [
  windowStart,
  windowMemory,
  keyLatency,
  appendStep,
  indexCatchUp,
  loopOverhead,
  bytesWritten,
  sessionOutput,
  durability,
];
