import { WaymarkError } from '@shared/errors';
import type { Handlers } from '../register';

type Group = Pick<
  Handlers,
  | 'checkpoints.list'
  | 'checkpoints.size'
  | 'checkpoints.make'
  | 'branches.plan'
  | 'branches.create'
  | 'branches.lineage'
>;

/** Checkpoints and branches. */
export function checkpointHandlers(): Group {
  const missing = new WaymarkError('unsupported', 'Not built yet.');
  return {
    'checkpoints.list': () => Promise.reject(missing),
    'checkpoints.size': () => Promise.reject(missing),
    'checkpoints.make': () => Promise.reject(missing),
    'branches.plan': () => Promise.reject(missing),
    'branches.create': () => Promise.reject(missing),
    'branches.lineage': () => Promise.reject(missing),
  };
}
