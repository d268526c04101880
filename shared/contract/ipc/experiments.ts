import { z } from 'zod';
import type { ExperimentListing, ExperimentRun } from '../../experiments/experiment-run';
import { type CommandRows, none, returns } from './parts';

/** What runs were made for, and what they came to. */
export const experimentCommands = {
  'experiments.list': {
    input: none,
    output: returns<ExperimentListing[]>(),
    place: 'workspace',
    consent: 'free',
  },
  /** Every run of an experiment with its figures; the page makes tables and curves of them. */
  'experiments.show': {
    input: z.object({ name: z.string().min(1).max(1_000) }),
    output: returns<ExperimentRun[]>(),
    place: 'workspace',
    consent: 'free',
  },
} as const satisfies CommandRows;
