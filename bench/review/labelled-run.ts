import type { Author } from '@shared/log/annotations';
import type { NewEvent } from '@shared/log/events';
import { ulid } from 'ulid';
import type { Store } from '../../electron/store/api';
import { openStore } from '../../electron/store/threads/client';
import { Material } from '../engine/material';
import { commandStep, creation } from '../engine/run-events';

const STEP_BYTES = 600;
/** Steps in one append, labels asked for at a time. */
const BATCH = 100;

/** A workspace with one run of so many short command steps. Returns the run. */
export async function writeRun(folder: string, steps: number): Promise<string> {
  const store = await openStore(folder, {});
  const run = ulid();
  const material = new Material(7);
  await store.writer.append(run, 1, creation(run, steps));
  for (let first = 1; first <= steps; first += BATCH) {
    const events: NewEvent[] = [];
    for (let step = first; step < first + BATCH && step <= steps; step += 1) {
      const { action, observation } = commandStep(step, STEP_BYTES, material);
      events.push(...action, ...observation);
    }
    await store.writer.append(run, 1, events);
  }
  await store.drain();
  await store.close();
  return run;
}

/** One label of this person on each step: MASK on every `every`th, else TRAIN. */
export async function labelEach(
  store: Store,
  run: string,
  steps: number,
  author: Author,
  every: number,
): Promise<void> {
  for (let first = 1; first <= steps; first += BATCH) {
    const writing: Promise<unknown>[] = [];
    for (let step = first; step < first + BATCH && step <= steps; step += 1) {
      const value = step % every === 0 ? 'mask' : 'train';
      const target = { run, from: step, to: step };
      writing.push(store.writer.annotate(author, target, { op: 'label', value, reason: null }));
    }
    await Promise.all(writing);
  }
}
