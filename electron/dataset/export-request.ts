import { presetReasoning, type RowReasoning, type Trajectory } from '@shared/context/trajectory';
import type { MachinePrecedence } from '@shared/labels/labels';
import type { RulePreset } from '../label/rule-set';

/** What to export. Preview and export take the same request, so that their counts agree. */
export interface ExportRequest {
  format: 'slime';
  /** Full run ids; the order does not matter. */
  runs: string[] | 'all';
  /** What an undecided step counts as; `refuse` exports nothing while there is one. */
  undecided: 'refuse' | 'train' | 'mask';
  /** What becomes of rows for which neither the log nor the program that wrote it tells the tools; default: refuse. */
  noTools?: 'refuse' | 'allow';
  /** `apollo`: as the paper's data were made (strict edit rule, carried steps train, no reasoning, repetition). */
  preset?: RulePreset;
  precedence?: MachinePrecedence;
  /** Whether a step trains only where it was sampled, or wherever it stands; default: as the preset says. */
  carried?: DatasetPreset['carried'];
  /** Where rows hold the model's reasoning; default: as the preset says. */
  reasoning?: RowReasoning | undefined;
  /** Events read and still to read, over both passes. */
  onProgress?: (progress: { done: number; total: number }) => void;
  signal?: AbortSignal;
}

export interface DatasetPreset {
  name: RulePreset;
  carried: 'once' | 'paper';
  reasoning: RowReasoning;
  /** Times a row stands in the file, by what it is (APOLLO: ReAct trajectories ×7, summaries ×10). */
  repeat: Record<Trajectory['kind'], number>;
  /** Rows over this many estimated tokens are left out and counted; null = none. */
  maxTokens: number | null;
}

/** `carried`, `reasoning`: chosen by name, else as the preset says. */
export function datasetPreset(
  name: RulePreset,
  { carried, reasoning = presetReasoning(name) }: Pick<ExportRequest, 'carried' | 'reasoning'>,
): DatasetPreset {
  return name === 'apollo'
    ? {
        name,
        carried: carried ?? 'paper',
        reasoning,
        repeat: { react: 7, summary: 10 },
        maxTokens: 128_000,
      }
    : {
        name,
        carried: carried ?? 'once',
        reasoning,
        repeat: { react: 1, summary: 1 },
        maxTokens: null,
      };
}
