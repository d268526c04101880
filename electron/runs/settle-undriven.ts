import { type RunContext, whatGoesOn } from './assemble';
import { RunControl } from './control';
import { prepareDriver, restEvents } from './run';

/**
 * Pauses or stops a run that no process drives, as the outbox asks: takes it up for the length of two
 * transactions and never starts its loop. The caller holds and releases the lock.
 */
export async function settleUndriven(context: RunContext): Promise<void> {
  const { parts, arrive } = await prepareDriver(context);
  const asked = new RunControl(parts.follower).asked();
  if (asked !== null) {
    await arrive(false);
    await parts.recorder.record(restEvents(asked, parts.follower, await whatGoesOn(parts)));
    context.live.emit({
      run: context.run,
      kind: 'state',
      state: asked.op === 'stop' ? 'stopped' : 'paused',
      until: null,
    });
  }
}
