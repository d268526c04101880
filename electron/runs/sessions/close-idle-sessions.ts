import type { NewEvent } from '@shared/log/events';
import { ComputerUnavailable } from '../../computer/failures';
import type { Computer } from '../../computer/port';

/**
 * After the final evaluation nobody types into the run's sessions any more: those at their prompt are closed, so
 * that no process stays behind. One that still runs something is left alone; `waymark clean` closes it.
 * Returns a `session.ended` for each; `open` are the sessions of the run that have not ended, by id. A computer that
 * is away, or whose sessions cannot be closed, is reported and passed over.
 */
export async function closeIdleSessions(
  computers: ReadonlyMap<string, Computer>,
  open: (uid: string) => boolean,
  failed: (computer: string, error: unknown) => void,
): Promise<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const computer of computers.values()) {
    try {
      for await (const event of closing(computer, open)) events.push(event);
    } catch (error) {
      failed(computer.name, error instanceof ComputerUnavailable ? error.message : error);
    }
  }
  return events;
}

async function* closing(computer: Computer, open: (uid: string) => boolean): AsyncGenerator<NewEvent> {
  for (const { id, name, alive } of await computer.sessions.list()) {
    if (!alive || !open(id)) continue;
    const { state } = await computer.sessions.state(name);
    if (state !== 'idle') continue;
    const { exitCode, endOffset } = await computer.sessions.close(name);
    const body = { computer: computer.name, session: name, uid: id, exitCode, endOffset };
    yield { kind: 'session.ended', body };
  }
}
