import { type CommandRows, inRun, returns } from './parts';

/** Steps that people have decided on for one reason. */
export interface DecidedExamples {
  /** As given with the decision: a code of the guideline, or words. */
  reason: string;
  /** The first few, ascending. */
  steps: number[];
  total: number;
}

/** What people have decided so far, as an example for the next decision. */
export const guidelineCommands = {
  'guideline.examples': {
    input: inRun,
    output: returns<DecidedExamples[]>(),
    place: 'workspace',
    consent: 'free',
  },
} as const satisfies CommandRows;
