import { createRuleProjector } from '../../label/rule-projector';
import type { StepProjector } from './step-projector';

/**
 * The projector the worker threads use. Functions cannot be sent to a thread, so this one file of the store
 * names the rules; everything else in the folder knows only the port.
 */
export function createProjector(): StepProjector {
  return createRuleProjector();
}
