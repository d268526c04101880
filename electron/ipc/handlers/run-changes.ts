import { WaymarkError } from '@shared/errors';
import type { Handlers } from '../register';

type Group = Pick<Handlers, 'runs.setModel' | 'runs.setLimits' | 'runs.running'>;

/** What changes about a run while it goes on. */
export function runChangeHandlers(): Group {
  const missing = new WaymarkError('unsupported', 'Not built yet.');
  return {
    'runs.setModel': () => Promise.reject(missing),
    'runs.setLimits': () => Promise.reject(missing),
    'runs.running': () => Promise.reject(missing),
  };
}
