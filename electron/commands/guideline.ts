import type { Handlers } from '../ipc/register';
import type { WorkbenchHolder } from '../workbench';

/** Decided steps as examples of the guideline's rules. */
export function guidelineHandlers(holder: WorkbenchHolder): Pick<Handlers, 'guideline.examples'> {
  return {
    'guideline.examples': ({ run }) => holder.require().store.reader.decidedExamples(run),
  };
}
