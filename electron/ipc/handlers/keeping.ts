import { WaymarkError } from '@shared/errors';
import type { Handlers } from '../register';

type Group = Pick<Handlers, 'settings.keys' | 'settings.unlockKeys' | 'settings.lockKeys' | 'app.power'>;

/** Keys and power. */
export function keepingHandlers(): Group {
  const missing = new WaymarkError('unsupported', 'Not built yet.');
  return {
    'settings.keys': () => Promise.reject(missing),
    'settings.unlockKeys': () => Promise.reject(missing),
    'settings.lockKeys': () => Promise.reject(missing),
    'app.power': () => Promise.reject(missing),
  };
}
