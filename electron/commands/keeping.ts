import type { KeyKeeping, keepingCommands, PowerState } from '@shared/contract/ipc/application';
import type { Endpoint } from '@shared/contract/settings';
import type { HandlersOf } from './dispatch';

type Group = HandlersOf<typeof keepingCommands>;

/** What handlers ask of the keeper of keys (`electron/app/key-store.ts`); it gives none out here. */
export interface KeyKeeper {
  has(endpoint: string, keyEnv: string): boolean;
  names(): readonly string[];
  keeping(): KeyKeeping['kept'];
  set(endpoint: string, key: string, origin: string): Promise<'store' | 'file' | 'memory'>;
  unlock(passphrase: string): Promise<void>;
  lock(): Promise<void>;
}

export interface KeepingOptions {
  keys: Omit<KeyKeeper, 'set'>;
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
