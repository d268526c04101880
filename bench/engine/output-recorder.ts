import { systemClock } from '../../electron/clock';
import type { Computer } from '../../electron/computer/port';
import { SessionRecorder, type SessionRecorderOptions } from '../../electron/runs/sessions/session-recorder';
import type { Store } from '../../electron/store/api';

/** Stores what sessions of one computer say, as the engine does for a run that is driven. */
export function recorderOf(
  store: Store,
  run: string,
  computer: Computer,
  more: Pick<SessionRecorderOptions, 'record' | 'failed'> = noGaps,
): SessionRecorder {
  const computers = new Map([[computer.name, computer]]);
  const back = { clock: systemClock, random: () => Math.random() };
  return new SessionRecorder({ store, run, epoch: 1, computers, back, ...more });
}

/** Nothing may be left out, and nothing may fail. */
const noGaps: Pick<SessionRecorderOptions, 'record' | 'failed'> = {
  record: () => Promise.reject(new Error('Bytes were dropped.')),
  failed: (_session, error) => {
    throw error;
  },
};
