import type { LinkState } from '@shared/contract/computers';
import { ComputerUnavailable } from '../computer/failures';
import type { HostComputer } from '../computer/hosts';
import type { Computer } from '../computer/port';

/** A link that is not up by then, a person's answers included, opens no terminal, ms. */
const reachMs = 120_000;

/** A computer with the person's terminals on it, this one or a distant one. */
export interface OwnHost {
  /** `local` or the host's alias. */
  readonly name: string;
  readonly computer: Computer;
  link(): LinkState;
  /** Why the link is not good; empty when it is. */
  trouble(): string;
  /** Resolves once the link is up; rejects with the signal's reason. */
  linked(signal: AbortSignal): Promise<void>;
}

export function ownHost(computer: Computer | HostComputer): OwnHost {
  if (!isDistant(computer)) {
    return {
      name: computer.name,
      computer,
      link: () => 'good',
      trouble: () => '',
      linked: () => Promise.resolve(),
    };
  }
  return {
    name: computer.alias,
    computer,
    link: () => computer.health().state,
    trouble: () => computer.health().message,
    linked: (signal) => computer.linked(signal),
  };
}

function isDistant(computer: Computer | HostComputer): computer is HostComputer {
  return computer.kind === 'ssh' && 'linked' in computer;
}

/**
 * Resolves once the link is up; `closing` gives up. @throws ComputerUnavailable when it cannot be reached in time, with
 * the reason
 */
export async function reachHost(host: OwnHost, closing: AbortSignal): Promise<void> {
  const limit = new AbortController();
  const giveUp = () => limit.abort();
  const timer = setTimeout(giveUp, reachMs);
  closing.addEventListener('abort', giveUp, { once: true });
  try {
    await host.linked(limit.signal);
  } catch (error) {
    if (error instanceof ComputerUnavailable) throw error;
    throw new ComputerUnavailable(
      host.name,
      `${host.name} could not be reached to open a terminal there. ${host.trouble()}`.trim(),
    );
  } finally {
    clearTimeout(timer);
    closing.removeEventListener('abort', giveUp);
  }
}
