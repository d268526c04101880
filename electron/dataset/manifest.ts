import { ruleSetVersion } from '../label/rule-set';
import { countLines, countMasks, type ExportPlan, stepRanges } from './export-plan';
import type { ExportRequest } from './export-request';

/** What marks a folder as a dataset that an export may replace. */
export const manifestFormat = 'waymark-dataset';
export const manifestFile = 'manifest.json';

export interface WrittenFile {
  /** Relative to the dataset's folder. */
  path: string;
  bytes: number;
  sha256: string;
}

/**
 * The whole account of an export: what it was made from, what was left out and why, what was waived. It holds no
 * time and no path, so that the same snapshot gives the same bytes.
 */
export function manifestText(
  plan: ExportPlan,
  request: ExportRequest,
  files: readonly WrittenFile[],
): string {
  const { preset, rows } = plan;
  const waived = request.undecided === 'refuse' ? [] : plan.undecided;
  const manifest = {
    format: manifestFormat,
    version: 1,
    exporter: request.format,
    preset: preset.name,
    options: {
      carried: preset.carried,
      reasoning: preset.reasoning ? 'kept' : 'dropped',
      repeat: preset.repeat,
      max_tokens: preset.maxTokens ?? 'none',
    },
    snapshot: {
      sha256: plan.snapshot,
      rule_sets: [...plan.ruleSets]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([sha256, { rules, precedence }]) => ({
          sha256,
          precedence,
          rules: rules.map(({ rule: { id, version, effect, hard, text, citation }, parameters }) => ({
            ...{ id, version, effect, hard, text, citation, parameters },
          })),
        })),
    },
    waiver: {
      undecided: request.undecided,
      steps: waived.reduce((sum, { steps }) => sum + steps.length, 0),
      runs: waived.map(({ run, steps }) => ({ run, steps: stepRanges(steps) })),
    },
    counts: {
      rows: countLines(plan),
      trajectories: {
        react: rows.filter(({ kind }) => kind === 'react').length,
        summary: rows.filter(({ kind }) => kind === 'summary').length,
      },
      ...countMasks(rows),
      labels: plan.counts,
      dropped: plan.dropped,
      over_context: plan.overContext,
      unfinished_steps: plan.unfinished,
      inherited_masked: plan.inherited.map(({ run, steps }) => ({ run, steps: stepRanges(steps) })),
    },
    runs: plan.runs.map(
      ({ created, models, seq, entries, segments, scores, evaluatorIsolated, ruleSet }) => ({
        run: created.run,
        task: created.task.id,
        task_hash: created.task.hash,
        models,
        events: seq,
        rule_set: ruleSetVersion(ruleSet),
        steps: segments.reduce((sum, { steps, summary }) => sum + steps.length + (summary ? 1 : 0), 0),
        segments: segments.length,
        rows: rows.filter((row) => row.run.created.run === created.run).length,
        annotations: entries.length,
        evaluator_isolated: evaluatorIsolated,
        ...(scores.best === null ? {} : { best_score: scores.best }),
        ...(scores.final === null ? {} : { final_score: scores.final }),
      }),
    ),
    files,
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
