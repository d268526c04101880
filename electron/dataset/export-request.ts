import { presetReasoning, type RowReasoning, type Trajectory } from '@shared/context/trajectory';
import { WaymarkError } from '@shared/contract/errors';
import { type ExportOptions, exportRequestSchema } from '@shared/contract/export-request';
import type { MachinePrecedence } from '@shared/labels/labels';
import type { z } from 'zod';
import type { RulePreset } from '../label/rule-set';
import type { PlanStore } from './plan-store';
import type { PrivateSources } from './redaction/settings';

/** What to export. Preview and export take the same request, so that their counts agree. */
export interface ExportRequest extends z.input<typeof exportRequestSchema> {
  precedence?: MachinePrecedence | undefined;
  /** What the template of the chosen tokenizer wants of a call's arguments; taken where `arguments` is `auto`. */
  templateWants?: 'string' | 'object' | undefined;
  /** What this installation knows that must not leave it; redaction takes it out. */
  sources?: PrivateSources | undefined;
  /** What was planned before a kill. */
  plans?: PlanStore | undefined;
  /** Events read and still to read, over all passes. */
  onProgress?: ((progress: { done: number; total: number }) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * The request with its defaults; runs and variants each once.
 * @throws WaymarkError `bad_input` that names the field
 */
export function exportOptions(request: ExportRequest): ExportOptions {
  const parsed = exportRequestSchema.safeParse(request);
  if (parsed.success) {
    const { runs, variants } = parsed.data;
    return { ...parsed.data, runs: [...new Set(runs)], variants: [...new Set(variants)] };
  }
  const [issue] = parsed.error.issues;
  throw new WaymarkError(
    'bad_input',
    `The export cannot be made as it was asked for: ${issue?.path.join('.')}: ${issue?.message}. Correct this field and try again.`,
  );
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

/** Form of a call's arguments in the records: as the loader fixes it, as it was chosen, as the template wants it, else text. */
export function argumentsForm(
  target: { argumentsForm: 'string' | 'object' | 'template' },
  options: Pick<ExportOptions, 'arguments'>,
  templateWants: ExportRequest['templateWants'],
): 'string' | 'object' {
  if (target.argumentsForm !== 'template') return target.argumentsForm;
  return options.arguments === 'auto' ? (templateWants ?? 'string') : options.arguments;
}
