import { z } from 'zod';
import type { ExperimentListing, ExperimentRun } from '../../experiments/experiment-run';
import type { TaskOverlap } from '../../experiments/task-overlap';
import { type CommandRows, none, returns } from './parts';

const name = z.string().min(1).max(1_000);

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
    input: z.object({ name }),
    output: returns<ExperimentRun[]>(),
    place: 'workspace',
    consent: 'free',
    asText: true,
  },
  /** Tasks of an experiment that are in another one, or in a dataset, as well; null: that dataset does not say what it is made of. */
  'experiments.overlap': {
    input: z.object({
      name,
      other: z.union([z.object({ experiment: name }), z.object({ dataset: z.string().min(1).max(64) })]),
    }),
    output: returns<TaskOverlap[] | null>(),
    place: 'workspace',
    consent: 'free',
  },
} as const satisfies CommandRows;
