import { WaymarkError } from '@shared/contract/errors';
import { idleHealth } from '@shared/contract/idle-health';
import type { Hosts } from '../../computer/hosts';

/** For a process that reaches no other computers: everything that would need one is refused. */
export function noHosts(): Hosts {
  const refuse = (alias: string) =>
    new WaymarkError('unsupported', `This process does not connect to other computers (${alias}).`);
  return {
    computer: ({ alias }) => {
      throw refuse(alias);
    },
    health: idleHealth,
    allHealth: () => [],
    onHealth: () => () => undefined,
    retryNow: () => undefined,
    resolve: (alias) => Promise.reject(refuse(alias)),
    candidates: () => Promise.resolve([]),
    test: (alias) => Promise.reject(refuse(alias)),
    dispose: () => Promise.resolve(),
  };
}
