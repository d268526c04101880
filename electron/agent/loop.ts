import type { NewEvent } from '@shared/log/events';
import { act } from './act';
import { applyChanges } from './apply-changes';
import { askModel } from './ask-model';
import { usedUp } from './budget';
import { keepAsked, keepIfDue } from './checkpoint-due';
import { finishRun, haltRun, MOST_REFUSALS, pauseRefused } from './come-to-rest';
import type { Lap, Loop, LoopEnd } from './loop-types';

/**
 * Drives a run until it comes to rest (APOLLO Algorithm 1, part A). It does no I/O of its own and keeps no state:
 * after every commit the folds of the log say where the run stands, so a resumed run takes the same way on.
 *
 * Record, then act; record, then tell. Every valid call gets exactly one observation.
 */
export async function drive(loop: Loop): Promise<LoopEnd> {
  for (;;) {
    const lap = await takeLap(loop);
    if (lap !== 'next') {
      return lap;
    }
  }
}

async function takeLap(loop: Loop): Promise<Lap> {
  const { ports, state } = loop;
  const { run } = state;
  await acknowledgeWakes(loop);
  const asked = ports.control.asked();
  const call = run.nextCall;
  const waiting = run.status === 'waiting_human' || run.status === 'waiting_host';
  if (asked !== null && asked.mode === 'after_step' && !waiting && (await keepAsked(loop, asked))) {
    return 'next';
  }
  if (asked !== null && (asked.mode === 'now' || call === null || waiting)) {
    return haltRun(loop, asked);
  }
  if (call !== null) {
    await act(loop, call);
    return 'next';
  }
  if (run.ending !== null) {
    return finishRun(loop, run.ending);
  }
  if ((await applyChanges(loop)) || (await keepIfDue(loop))) {
    return 'next';
  }
  const limit = usedUp(loop);
  if (limit !== null) {
    return finishRun(loop, limit);
  }
  return run.refusals >= MOST_REFUSALS ? pauseRefused(loop) : askModel(loop);
}

/** A wake that came while nothing slept must not end the next sleep. */
async function acknowledgeWakes({ ports }: Loop): Promise<void> {
  const events = ports.control
    .wakes()
    .map((entry): NewEvent => ({ kind: 'control.applied', body: { entry, op: 'wake' } }));
  if (events.length > 0) {
    await ports.recorder.record(events);
  }
}
