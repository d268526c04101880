import type { LinkState } from '@shared/computers';
import type { HostComputer } from '../computer/hosts';
import type { Computer } from '../computer/port';

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
