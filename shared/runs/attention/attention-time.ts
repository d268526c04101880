import type { RunEvent } from '../../log/events';
import type { AttentionState } from './attention-state';

/** Up to the latest event. */
export function workingMs({ time, at }: AttentionState): number {
  return time.doneMs + (time.since === null ? 0 : Math.max(0, at - time.since));
}

/** Call before `state.at` takes the event's time: a driver that died is counted up to its last sign of life. */
export function foldTime(state: AttentionState, event: RunEvent): void {
  const { time } = state;
  const stop = (at: number) => {
    if (time.since !== null) time.doneMs += Math.max(0, at - time.since);
    time.since = null;
    time.countedTo = Math.max(time.countedTo, at);
  };
  if (event.kind === 'run.status') {
    if (event.body.status === 'running') time.since ??= event.at;
    else stop(event.at);
  } else if (event.kind === 'driver.started') {
    if (time.since !== null) stop(Math.max(state.at, event.body.aliveUntil ?? 0));
  } else if (event.kind === 'command.ran') {
    const from = Math.max(event.body.from, time.countedTo);
    time.doneMs += Math.max(0, event.body.to - from);
    time.countedTo = Math.max(time.countedTo, event.body.to);
  } else if (event.kind === 'clock.suspended' && time.since !== null) {
    const from = Math.max(event.body.from, time.since);
    time.doneMs -= Math.max(0, event.body.to - from);
  }
}
