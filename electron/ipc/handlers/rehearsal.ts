import { WaymarkError } from '@shared/errors';
import type { Handlers } from '../register';

type Group = Pick<
  Handlers,
  'hints.verdict' | 'hints.rehearsalCost' | 'hints.rehearse' | 'hints.cancelRehearsal'
>;

/** What became of hints, and drafts tried out. */
export function rehearsalHandlers(): Group {
  const missing = new WaymarkError('unsupported', 'Not built yet.');
  return {
    'hints.verdict': () => Promise.reject(missing),
    'hints.rehearsalCost': () => Promise.reject(missing),
    'hints.rehearse': () => Promise.reject(missing),
    'hints.cancelRehearsal': () => Promise.reject(missing),
  };
}
