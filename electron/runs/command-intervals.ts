import type { NewEvent } from '@shared/events';
import type { RunFold } from '@shared/run-fold';
import { SessionError } from '../computer/failures';
import type { Computer } from '../computer/port';

/**
 * Events for the time in which commands of the run went on while no driver worked, by the spools' stamps
 * (semantics, Time, b). `from` and `to`: the driver's absence, wall-clock ms.
 */
export async function commandsMeanwhile(
  fold: RunFold,
  computers: ReadonlyMap<string, Computer>,
  from: number,
  to: number,
): Promise<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const { computer, session } of fold.sessions.values()) {
    const host = computers.get(computer)?.sessions;
    for (const record of host === undefined ? [] : await commandsOf(host, session)) {
      const start = Math.round(Math.max(from, record.startedAt));
      const end = Math.round(Math.min(to, record.endedAt ?? to));
      if (end > start) {
        events.push({ kind: 'command.ran', body: { computer, session, from: start, to: end } });
      }
    }
  }
  return events;
}

/** A session that is gone has no stamps to tell. */
async function commandsOf(host: Computer['sessions'], session: string) {
  try {
    return await host.commands(session);
  } catch (error) {
    if (error instanceof SessionError) {
      return [];
    }
    throw error;
  }
}
