import type { MachinePrecedence } from '@shared/labels';
import type { RulePreset } from '../label/rule-set';

/** What to export. Preview and export take the same request, so that their counts agree. */
export interface ExportRequest {
  format: 'slime';
  /** Full run ids; the order does not matter. */
  runs: string[] | 'all';
  /** What an undecided step counts as; `refuse` exports nothing while there is one. */
  undecided: 'refuse' | 'train' | 'mask';
  /** `apollo`: as the paper's data were made (strict edit rule, carried steps train, no reasoning, repetition). */
  preset?: RulePreset;
  precedence?: MachinePrecedence;
  /** Events read and still to read, over both passes. */
  onProgress?: (progress: { done: number; total: number }) => void;
  signal?: AbortSignal;
}

export interface DatasetPreset {
  name: RulePreset;
  carried: 'once' | 'paper';
  reasoning: boolean;
  /** Times a row stands in the file (APOLLO: ReAct trajectories ×7). */
  repeat: number;
  /** Rows over this many estimated tokens are left out and counted; null = none. */
  maxTokens: number | null;
}

export function datasetPreset(name: RulePreset): DatasetPreset {
  return name === 'apollo'
    ? { name, carried: 'paper', reasoning: false, repeat: 7, maxTokens: 128_000 }
    : { name, carried: 'once', reasoning: true, repeat: 1, maxTokens: null };
}
