import { WaymarkError } from '@shared/contract/errors';
import type { OwnPane } from '../commands/own';

/** A window in which no terminal of the person's own is shown. */
export const noPane: OwnPane = {
  place: async () => ({ wasIn: false }),
  enter: () => Promise.reject(new WaymarkError('refused', 'No terminal of yours is on the screen.')),
};
