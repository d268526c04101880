import type { Tool } from '@shared/log/event-parts';
import type { EventBody } from '@shared/log/events';
import { ruleSetVersion } from '../label/rule-set';
import { countLines, countMasks, type ExportPlan, stepRanges } from './export-plan';
import type { ExportRequest } from './export-request';
import type { RowTools } from './imported-rows';

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
  { files, notAsSent }: { files: readonly WrittenFile[]; notAsSent: number },
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
      reasoning: preset.reasoning,
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
      ...(plan.noTools.length === 0 ? {} : { no_tools: plan.noTools }),
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
      not_as_sent: notAsSent,
      unfinished_steps: plan.unfinished,
      inherited_masked: plan.inherited.map(({ run, steps }) => ({ run, steps: stepRanges(steps) })),
    },
    runs: plan.runs.map(
      ({
        created,
        models,
        seq,
        entries,
        segments,
        scores,
        evaluatorIsolated,
        protectedChanged,
        ruleSet,
        tools,
      }) => ({
        run: created.run,
        task: created.task.id,
        task_hash: created.task.hash,
        ...chosenFor(created),
        models,
        events: seq,
        rule_set: ruleSetVersion(ruleSet),
        steps: segments.reduce((sum, { steps, summary }) => sum + steps.length + (summary ? 1 : 0), 0),
        segments: segments.length,
        rows: rows.filter((row) => row.run.created.run === created.run).length,
        annotations: entries.length,
        evaluator_isolated: evaluatorIsolated,
        ...(protectedChanged === undefined ? {} : { protected_changed: protectedChanged }),
        isolation: isolationOf(created.computers),
        ...(tools.program === null ? {} : { imported_from: tools.program, tools: toolsOf(tools) }),
        ...(scores.best === null ? {} : { best_score: scores.best }),
        ...(scores.final === null ? {} : { final_score: scores.final }),
        ...(scores.finalUnavailable === true ? { final_evaluation: 'unavailable' } : {}),
      }),
    ),
    files,
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** What a run was made for, as far as it was said: an experiment's arm, its group, its number in it, its seed. */
function chosenFor(created: EventBody<'run.created'>): Record<string, string | number> {
  const { experiment, arm, group, sample, seed } = created;
  const facts: [string, string | number | null][] = Object.entries({ experiment, arm, group, sample, seed });
  return Object.fromEntries(facts.filter((fact): fact is [string, string | number] => fact[1] !== null));
}

/** Where the tools of an import's rows are from, and their names where its log does not hold them. */
function toolsOf({ program, known, lacking }: RowTools): Record<string, unknown> {
  const names = (tools: readonly Tool[]) => tools.map((tool) => tool.function.name);
  if (lacking.react.size + lacking.summary.size === 0) return { from: 'log' };
  if (known === null) return { from: 'none' };
  return {
    from: `what ${program} is known to offer`,
    react: names(known.react),
    ...(lacking.summary.size === 0 ? {} : { summary: names(known.summary) }),
  };
}

/** What kept the agent apart from the machine that drove it, by computer; logs of the time before say nothing of it. */
function isolationOf(computers: EventBody<'run.created'>['computers']): Record<string, string> {
  const here = computers.filter(({ kind }) => kind === 'local');
  return Object.fromEntries(
    here.map(({ name, isolation, unisolatedBy }) => [
      name,
      isolation ?? (unisolatedBy === undefined ? 'unknown' : 'none'),
    ]),
  );
}
