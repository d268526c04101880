import type { NewEvent } from '@shared/log/events';
import type { Loop } from './loop-types';
import { isBackSoon, untilBack } from './until-back';

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
      await sayThatItIsBack(loop);
      return value;
    } catch (error) {
      const away = ports.unavailable(error);
      if (away === null) {
        await sayThatItIsBack(loop);
        throw error;
      }
      failures += 1;
      const soon = failures === 1 && (await unlessHalted(loop, (signal) => isBackSoon(ports, error, signal)));
      if (soon) continue;
      if (state.run.status !== 'waiting_host') {
        await ports.recorder.record([status('waiting_host', away)]);
        ports.live.emit({ kind: 'state', state: 'waiting_host', until: null });
      }
      // A pause that was asked for "after the step" need not wait for a computer that may stay away for hours.
      const halted = () => ports.control.asked() !== null;
      if (!(await unlessHalted(loop, (signal) => untilBack(ports, error, failures, signal, halted)))) {
        return null;
      }
    }
  }
}

async function sayThatItIsBack({ ports, state }: Loop): Promise<void> {
  if (state.run.status === 'waiting_host') {
    await ports.recorder.record([status('running', 'The computer is back.')]);
  }
}

/** False when a human halted it, or the application is closing. */
async function unlessHalted(loop: Loop, wait: (signal: AbortSignal) => Promise<boolean>): Promise<boolean> {
  const { halt, haltThinking } = loop.ports.control;
  try {
    return (await wait(haltThinking)) && !halt.aborted;
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
