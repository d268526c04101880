import type { NewEvent } from '@shared/log/events';
import { ComputerUnavailable, SessionError } from '../../computer/failures';
import type { Computer } from '../../computer/port';
import type { StoreReader } from '../../store/api';
import { goesOn } from './running-commands';

export interface RestedDeps {
  reader: Pick<StoreReader, 'sessions'>;
  run: string;
  computers: ReadonlyMap<string, Computer>;
}

/**
 * Sessions that something ran in when they were last looked at, and that are at their prompt now. Ask before the loop begins: a
 * command that starts meanwhile would be passed over. What is away or gone has nothing to tell.
 */
export async function restedSessions({ reader, run, computers }: RestedDeps): Promise<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const { computer, session, uid, state } of await reader.sessions(run)) {
    const there = computers.get(computer);
    if (!goesOn(state) || there === undefined) continue;
    if (await isAtPrompt(there, session, uid)) {
      events.push({ kind: 'session.rested', body: { computer, session, uid } });
    }
  }
  return events;
}

async function isAtPrompt(computer: Computer, name: string, uid: string): Promise<boolean> {
  try {
    if ((await computer.sessions.find(name))?.id !== uid) return false;
    return (await computer.sessions.state(name)).state === 'idle';
  } catch (error) {
    if (error instanceof ComputerUnavailable || error instanceof SessionError) return false;
    throw error;
  }
}
