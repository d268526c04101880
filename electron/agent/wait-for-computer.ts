import type { NewEvent } from '@shared/events';
import { backOff } from './back-off';
import type { Loop } from './loop-types';

const RETRY = { attempts: Number.POSITIVE_INFINITY, baseMs: 1_000, capMs: 30_000 };

/**
 * Runs `first`; when its computer cannot be reached the run waits, says so, and tries `again` until it is back.
 * Infrastructure failure never becomes an observation (architecture, rule 7). Null when a human halted the wait.
 * Any other error passes through.
 */
export async function waitForComputer<T>(
  loop: Loop,
  first: () => Promise<T>,
  again: () => Promise<T> = first,
): Promise<T | null> {
  const { ports, state } = loop;
  for (let failures = 0; ; ) {
    try {
      const value = await (failures === 0 ? first() : again());
      if (state.run.status === 'waiting_host') {
        await ports.recorder.record([status('running', 'The computer is back.')]);
      }
      return value;
    } catch (error) {
      const away = ports.unavailable(error);
      if (away === null) {
        if (state.run.status === 'waiting_host') {
          await ports.recorder.record([status('running', 'The computer is back.')]);
        }
        throw error;
      }
      failures += 1;
      if (state.run.status !== 'waiting_host') {
        await ports.recorder.record([status('waiting_host', away)]);
        ports.live.emit({ kind: 'state', state: 'waiting_host', until: null });
      }
      if (!(await sleepUnlessHalted(loop, backOff(failures, null, RETRY, ports.random())))) {
        return null;
      }
    }
  }
}

async function sleepUnlessHalted(loop: Loop, ms: number): Promise<boolean> {
  const { halt, haltThinking } = loop.ports.control;
  try {
    await loop.ports.clock.sleep(ms, haltThinking);
    return !halt.aborted;
  } catch (error) {
    if (haltThinking.aborted) {
      return false;
    }
    throw error;
  }
}

function status(value: 'running' | 'waiting_host', message: string): NewEvent {
  return {
    kind: 'run.status',
    body: { status: value, reason: value === 'waiting_host' ? 'computer_unavailable' : null, message },
  };
}
