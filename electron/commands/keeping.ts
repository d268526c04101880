import type { KeyKeeping, keepingCommands, PowerState } from '@shared/contract/ipc/application';
import type { Endpoint } from '@shared/contract/settings';
import type { KeyStore } from '../app/key-store';
import type { HandlersOf } from './handlers';

type Group = HandlersOf<typeof keepingCommands>;

export interface KeepingOptions {
  keys: KeyStore;
  endpoints(): readonly Endpoint[];
  power(): PowerState;
}

/** Where keys are kept, and power. A passphrase comes in, names of endpoints go out; no key ever does. */
export function keepingHandlers({ keys, endpoints, power }: KeepingOptions): Group {
  const keeping = (): KeyKeeping => {
    const known = endpoints().filter(({ name, keyEnv }) => keys.has(name, keyEnv));
    const names = new Set([...known.map(({ name }) => name), ...keys.names()]);
    return { kept: keys.keeping(), endpoints: [...names].sort() };
  };
  return {
    'settings.keys': async () => keeping(),
    'settings.unlockKeys': async ({ passphrase }) => {
      await keys.unlock(passphrase);
      return keeping();
    },
    'settings.lockKeys': async () => {
      await keys.lock();
      return keeping();
    },
    'app.power': async () => power(),
  };
}
