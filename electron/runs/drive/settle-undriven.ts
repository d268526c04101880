import type { RunContext } from './assemble';
import { RunControl } from './control';
import { recordRest } from './record-rest';
import { prepareDriver } from './run';

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
