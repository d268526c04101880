import { WaymarkError } from '@shared/contract/errors';
import type { NewEvent } from '@shared/log/events';
import { withCheckpointer } from '../../branches/with-checkpointer';
import { RunControl } from './control';
import { recordRest } from './record-rest';
import { prepareDriver } from './run';
import type { RunContext } from './wiring/driving';

/**
 * Makes the checkpoint that was asked for of a run that no process drives: takes it up for that long and never starts its
 * loop. The caller holds and releases the lock.
 * @throws WaymarkError refused in the middle of a step (it is made once the run goes on), ComputerUnavailable
 */
export async function keepUndriven(context: RunContext): Promise<void> {
  const { options, run } = context;
  const { parts, arrive } = await prepareDriver(context);
  const { recorder, follower, loaded } = parts;
  const { state, created } = loaded;
  const asked = follower.checkpoints.waiting;
  if (asked.length === 0) return;
  if (state.run.step === 0 || state.run.nextCall !== null || state.run.summarising !== null) {
    throw new WaymarkError(
      'refused',
      `Run ${run} rests in the middle of step ${Math.max(1, state.run.step)}. The checkpoint is made as soon as the run is resumed and the step is over.`,
    );
  }
  const note = asked
    .map((each) => each.note)
    .filter((text) => text !== '')
    .join('; ');
  const order = { step: state.run.step, why: 'asked' as const, note };
  await withCheckpointer(options, { run, created, fold: state.run }, async (checkpointer, signal) => {
    const made = await checkpointer.make(order, signal);
    await arrive({ before: 0 });
    const applied = asked.map(({ entry }): NewEvent => {
      return { kind: 'control.applied', body: { entry, op: 'checkpoint' } };
    });
    await recorder.record([made, ...applied]);
  });
}

/**
 * Pauses or stops a run that no process drives, as the outbox asks: takes it up for the length of two
 * transactions and never starts its loop. The caller holds and releases the lock.
 */
export async function settleUndriven(context: RunContext): Promise<void> {
  const { parts, arrive } = await prepareDriver(context);
  const asked = new RunControl(parts.follower).asked();
  const paused = asked?.op === 'pause' && parts.loaded.state.run.status === 'paused';
  if (asked !== null && !paused) {
    await arrive({ before: 0 });
    const state = await recordRest(parts, asked);
    context.live.emit({ run: context.run, kind: 'state', state, until: null });
  }
}
