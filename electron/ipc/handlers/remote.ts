import { WaymarkError } from '@shared/errors';
import type { Handlers } from '../register';

type Group = Pick<Handlers, 'remote.open' | 'remote.status' | 'remote.dismiss' | 'remote.close'>;

/** A workspace on a server. */
export function remoteHandlers(): Group {
  const missing = new WaymarkError('unsupported', 'Not built yet.');
  return {
    'remote.open': () => Promise.reject(missing),
    'remote.status': () => Promise.reject(missing),
    'remote.dismiss': () => Promise.reject(missing),
    'remote.close': () => Promise.reject(missing),
  };
}
