import type { NewEvent } from '@shared/events';
import type { Computer } from '../computer/port';

/**
 * After the final evaluation nobody types into the run's sessions any more: those at their prompt are closed, so
 * that no process stays behind. One that still runs something is left alone; `waymark clean` closes it.
 * Returns a `session.ended` for each; `open` are the sessions of the run that have not ended, by id.
 * @throws ComputerUnavailable
 */
export async function closeIdleSessions(
  computers: ReadonlyMap<string, Computer>,
  open: (uid: string) => boolean,
): Promise<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const computer of computers.values()) {
    for (const { id, name, alive } of await computer.sessions.list()) {
      if (!alive || !open(id)) continue;
      const { state } = await computer.sessions.state(name);
      if (state !== 'idle') continue;
      const { exitCode, endOffset } = await computer.sessions.close(name);
      const body = { computer: computer.name, session: name, uid: id, exitCode, endOffset };
      events.push({ kind: 'session.ended', body });
    }
  }
  return events;
}
