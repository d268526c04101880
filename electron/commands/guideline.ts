import type { guidelineCommands } from '@shared/contract/ipc/guideline';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './handlers';

/** Decided steps as examples of the guideline's rules. */
export function guidelineHandlers(holder: WorkbenchHolder): HandlersOf<typeof guidelineCommands> {
  return {
    'guideline.examples': ({ run }) => holder.require().store.reader.decidedExamples(run),
  };
}
