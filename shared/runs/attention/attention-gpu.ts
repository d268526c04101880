import type { EventOf, RunEvent } from '../../log/events';
import type { AttentionItem } from './attention';
import { type AttentionState, occurred } from './attention-state';

/** GPUs that do nothing for so long while the run is driven want a look, ms. */
export const GPU_IDLE_MS = 10 * 60_000;
export function foldGpus(state: AttentionState, event: EventOf<'gpu.changed'>): void {
  const { computer, state: now, since } = event.body;
  if (now === 'idle') {
    state.idle[computer] ??= { since, seq: event.seq, step: state.step };
    return;
  }
  endIdleOf(state, event, computer, now === 'busy' ? since : event.at);
}

/** The run does not go on: nobody wants its GPUs to work. */
export function endIdle(state: AttentionState, event: RunEvent): void {
  for (const computer of Object.keys(state.idle)) endIdleOf(state, event, computer, event.at);
}

function endIdleOf(state: AttentionState, event: RunEvent, computer: string, until: number): void {
  const idle = state.idle[computer];
  delete state.idle[computer];
  if (idle === undefined || until - idle.since < GPU_IDLE_MS) return;
  const { id: _id, ...item } = idleItem(state.run, computer, { ...idle, seq: event.seq }, until - idle.since);
  occurred(state, event, 'gpu_idle', idleKey(computer, idle.since), item);
}

const idleKey = (computer: string, since: number) => `${computer} ${since}`;

/** `ms`: how long it was, once it is over. */
export function idleItem(
  run: string,
  computer: string,
  { since, seq, step }: { since: number; seq: number; step: number },
  ms: number | null,
): AttentionItem {
  return {
    id: `${run} gpu_idle ${idleKey(computer, since)}`,
    run,
    kind: 'gpu_idle',
    urgency: 1,
    step: step === 0 ? null : step,
    steps: [],
    seq,
    at: since + GPU_IDLE_MS,
    facts: { computer, since, ms },
    open: ms === null,
  };
}
