import type { BackDeps } from '../../agent/until-back';
import type { Clock } from '../../clock';
import { ComputerUnavailable } from '../../computer/failures';
import { type HostComputer, isHost } from '../../computer/hosts';
import type { Computer } from '../../computer/port';

/** A link that waits for a person is asked about again after this long, ms. */
const ASK_AGAIN_MS = 1_000;

/** When the computers of a run can be reached again. */
export function backDeps(computers: ReadonlyMap<string, Computer>, clock: Clock): BackDeps {
  const hosts = [...computers.values()].filter(isHost);
  return {
    clock,
    random: () => Math.random(),
    back: async (error, signal) => {
      const host = hosts.find((each) => isAbout(error, each));
      if (host === undefined) await clock.sleep(Number.MAX_SAFE_INTEGER, signal);
      else await linked(host, clock, signal);
    },
  };
}

function isAbout(error: unknown, { name, alias }: HostComputer): boolean {
  return error instanceof ComputerUnavailable && (error.computer === name || error.computer === alias);
}

/** Also while a person has to act first, which may take hours. */
async function linked(host: HostComputer, clock: Clock, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await host.linked(signal);
      return;
    } catch (error) {
      if (signal.aborted || !(error instanceof ComputerUnavailable)) throw error;
      await clock.sleep(ASK_AGAIN_MS, signal);
    }
  }
}

/** Begins to connect to every host, so that the first action finds a link. Ends with the signal. */
export function warmUp(computers: ReadonlyMap<string, Computer>, clock: Clock, signal: AbortSignal): void {
  for (const host of [...computers.values()].filter(isHost)) {
    // Whoever needs the host asks for it himself and hears why it is away.
    linked(host, clock, signal).catch(() => undefined);
  }
}

/** What the run waits for, with the computer's name; null for any other error. */
export function whyAway(error: unknown, computers: ReadonlyMap<string, Computer>): string | null {
  if (!(error instanceof ComputerUnavailable)) return null;
  const host = [...computers.values()].filter(isHost).find((each) => isAbout(error, each));
  const names = host === undefined ? [error.computer] : [host.alias, host.name];
  return names.some((name) => error.message.includes(name))
    ? error.message
    : `${names.join(' for ')}: ${error.message}`;
}
