import type { EventBody } from '@shared/log/events';
import { z } from 'zod';
import { inputMatcher } from '../task/copy-inputs';

/** What a run's pinned task says that rules need. */
export interface RuleTask {
  /** Workspace root on the computers. */
  root: string;
  description: string;
  /** GPUs by computer. */
  gpus: ReadonlyMap<string, number>;
  /** Scripts that the task says are there to be used, as written. */
  protected: readonly string[];
  /** Whether a path (absolute, or relative to the workspace) is what evaluations read; true for all when the task does not say. */
  evaluated(path: string): boolean;
  /** The task says which files evaluations read. */
  knowsInputs: boolean;
}

const specSchema = z.object({
  description: z.string().catch(''),
  protected: z.array(z.string()).catch([]),
  evaluation: z.object({ inputs: z.array(z.string()).catch([]) }).catch({ inputs: [] }),
  computers: z
    .array(z.object({ name: z.string(), gpus: z.object({ count: z.number() }).nullish().catch(null) }))
    .catch([]),
});

/** Leniently: the specification was checked when the task was added, and imported runs lack most of it. */
export function ruleTask({ spec, workspaceRoot }: EventBody<'run.created'>): RuleTask {
  const { description, protected: kept, evaluation, computers } = specSchema.parse(spec);
  const root = workspaceRoot.replace(/\/+$/, '');
  const matches = evaluation.inputs.length === 0 ? null : matcherOf(evaluation.inputs);
  return {
    root,
    description,
    protected: kept,
    gpus: new Map(computers.flatMap(({ name, gpus }) => (gpus ? [[name, gpus.count] as const] : []))),
    knowsInputs: matches !== null,
    evaluated: (path) => {
      if (matches === null) return true;
      const inner = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
      // Of a path whose folder is unknown, or of one elsewhere, nobody can say that it is no input.
      return inner.startsWith('/') ? false : matches(inner.replace(/^\.\//, ''));
    },
  };
}

/** Old specifications may hold globs that are refused today; they match nothing. */
function matcherOf(globs: readonly string[]): ((path: string) => boolean) | null {
  try {
    return inputMatcher(globs);
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}
