import { SessionError } from '../failures';
import { isHost } from '../hosts';
import type { Computer } from '../port';

/** Whether a command runs in one of the run's sessions on a computer, as it says now; of one that is away: no. */
export async function runsSomething(computer: Computer): Promise<boolean> {
  if (isHost(computer) && computer.health().state !== 'good' && computer.health().state !== 'degraded')
    return false;
  const alive = (await computer.sessions.list()).filter((session) => session.alive);
  const states = await Promise.all(
    alive.map(async ({ name }) => {
      try {
        return await computer.sessions.state(name);
      } catch (error) {
        // Closed between the two looks.
        if (error instanceof SessionError) return undefined;
        throw error;
      }
    }),
  );
  return states.some((state) => state?.command !== undefined);
}
