import type { NewEvent } from '@shared/log/events';
import type { Loop } from './loop-types';
import type { CheckpointPort, HaltRequest } from './ports';
import { waitForComputer } from './wait-for-computer';

type Order = Parameters<CheckpointPort['make']>[0];

/** The checkpoint that was asked for or has become due, between two steps. False when there was nothing to do. */
export async function keepIfDue(loop: Loop): Promise<boolean> {
  const { checkpoint } = loop.ports;
  const { run } = loop.state;
  if (checkpoint === undefined || !isBoundary(loop)) {
    return false;
  }
  if (checkpoint.asked().length > 0) {
    return keep(loop, checkpoint, 'asked');
  }
  const since = run.step - Math.max(run.checkpointed ?? 0, run.branchedAt);
  return checkpoint.every > 0 && since >= checkpoint.every && keep(loop, checkpoint, 'interval');
}

/** Who asks for a checkpoint and then for a pause gets both; an application that is quitting waits for neither. */
export async function keepAsked(loop: Loop, asked: HaltRequest): Promise<boolean> {
  const { checkpoint } = loop.ports;
  const due = checkpoint !== undefined && checkpoint.asked().length > 0;
  return due && asked.entries.length > 0 && isBoundary(loop) && keep(loop, checkpoint, 'asked');
}

/** The one after the final evaluation, once. False when a human halted it: the lap after this one sees why. */
export async function keepAtEnd(loop: Loop): Promise<boolean> {
  const { checkpoint } = loop.ports;
  const { run } = loop.state;
  if (checkpoint?.final !== true || run.finalCheckpoint || run.step === 0) {
    return true;
  }
  return keep(loop, checkpoint, 'final');
}

/** Every call of the latest step has its observation, and no summary turn is under way. */
function isBoundary({ state: { run } }: Loop): boolean {
  return run.step > 0 && run.nextCall === null && run.summarising === null;
}

/** True when it was made and recorded, with the acknowledgement of who asked for it. */
async function keep(loop: Loop, checkpoint: CheckpointPort, why: Order['why']): Promise<boolean> {
  const { ports, state } = loop;
  const asked = checkpoint.asked();
  const note = asked
    .map((each) => each.note)
    .filter((text) => text !== '')
    .join('; ');
  const order = { step: state.run.step, why, note };
  const { halt, haltThinking } = ports.control;
  // The end of a run waits for its checkpoint even when the application is closing, as for its evaluation.
  const signal = why === 'final' ? halt : haltThinking;
  ports.live.emit({ kind: 'state', state: 'acting', until: null });
  let made: NewEvent | null;
  try {
    made = await waitForComputer(loop, () => checkpoint.make(order, signal));
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
    return false;
  }
  if (made === null) {
    return false;
  }
  const applied = asked.map(({ entry }): NewEvent => {
    return { kind: 'control.applied', body: { entry, op: 'checkpoint' } };
  });
  await ports.recorder.record([made, ...applied]);
  return true;
}
