import { WaymarkError } from '@shared/errors';
import type { Handlers } from '../register';

type Group = Pick<Handlers, 'attention.list' | 'attention.seen' | 'attention.report'>;

/** What wants a person's eye. */
export function attentionHandlers(): Group {
  const missing = new WaymarkError('unsupported', 'Not built yet.');
  return {
    'attention.list': () => Promise.reject(missing),
    'attention.seen': () => Promise.reject(missing),
    'attention.report': () => Promise.reject(missing),
  };
}
