import type { ExportVariant, Redaction } from '@shared/contract/export-request';
import type { Tool } from '@shared/log/event-parts';
import type { EventBody } from '@shared/log/events';
import { ruleSetVersion } from '../label/rule-set';
import { compositionOf } from './composition';
import type { RowTools } from './imported-rows';
import {
  countLines,
  countMasks,
  type ExportPlan,
  type Side,
  stepRanges,
  type VariantPlan,
  variantPlan,
} from './plan';
import type { TargetDrop } from './targets/target';

/** What marks a folder as a dataset that an export may replace. */
export const manifestFormat = 'waymark-dataset';
export const manifestFile = 'manifest.json';

export interface WrittenFile {
  /** Relative to the dataset's folder. */
  path: string;
  bytes: number;
  sha256: string;
  /** Of a data file: its records, and which they are. */
  records?: number | undefined;
  variant?: ExportVariant | undefined;
  split?: Side | undefined;
}

/** What is known once the data files are written. */
export interface WrittenFacts {
  files: readonly WrittenFile[];
  /** Rows of the first variant with messages that some of their steps were sent in another form. */
  notAsSent: number;
  argumentsForm: 'string' | 'object';
  /** What the target left out, by variant. */
  dropped: ReadonlyMap<ExportVariant, readonly TargetDrop[]>;
  /** What was taken out of texts; counts and rules, never what was found. */
  redaction: { mode: Redaction } & Readonly<Record<string, unknown>>;
}

/**
 * The whole account of an export: what it was made from, what was left out and why, what was waived. It holds no
 * time and no path, so that the same snapshot gives the same bytes.
 */
export function manifestText(plan: ExportPlan, written: WrittenFacts): string {
  const { options, preset, variants, repeat } = plan;
  const first = variantPlan(plan);
  const rowsByRun = countRows(first);
  const waived = options.undecided === 'refuse' ? [] : plan.undecided;
  const manifest = {
    format: manifestFormat,
    version: 2,
    exporter: options.format,
    preset: preset.name,
    options: {
      carried: preset.carried,
      reasoning: preset.reasoning,
      repeat: preset.repeat,
      max_tokens: preset.maxTokens ?? 'none',
    },
    // What makes the same dataset again: the runs that are in it, however they were chosen.
    request: { ...options, runs: plan.runs.map(({ created }) => created.run) },
    filter: { asked: options.filter, removed: plan.filtered },
    deduplicated: options.deduplicate ? plan.duplicates : [],
    split: plan.split ?? 'none',
    arguments: written.argumentsForm,
    encoding: options.encoding ?? 'default',
    compression: options.compression,
    redaction: written.redaction,
    snapshot: {
      sha256: plan.snapshot,
      rule_sets: [...plan.ruleSets]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([sha256, { rules, precedence }]) => ({
          sha256,
          precedence,
          rules: rules.map(({ rule: { id, version, effect, hard, text, citation }, parameters }) => ({
            id,
            version,
            effect,
            hard,
            text,
            citation,
            parameters,
          })),
        })),
    },
    waiver: {
      undecided: options.undecided,
      steps: waived.reduce((sum, { steps }) => sum + steps.length, 0),
      runs: waived.map(({ run, steps }) => ({ run, steps: stepRanges(steps) })),
      ...(plan.noTools.length === 0 ? {} : { no_tools: plan.noTools }),
    },
    counts: {
      ...countsOf(first, repeat),
      not_as_sent: written.notAsSent,
      unfinished_steps: plan.unfinished,
      inherited_masked: plan.inherited.map(({ run, steps }) => ({ run, steps: stepRanges(steps) })),
    },
    variants: variants.map((each) => ({
      variant: each.variant,
      decided_by: decidedBy[each.variant],
      ...countsOf(each, repeat),
      left_out: written.dropped.get(each.variant) ?? [],
    })),
    composition: compositionOf(first.rows),
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
        rows: rowsByRun.get(created.run) ?? 0,
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
    files: written.files,
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** What the masks of a variant rest on, for whoever compares two of them. */
const decidedBy: Readonly<Record<ExportVariant, string>> = {
  all: 'everybody: people before rules and judges; undecided steps as waived',
  rules: 'rules alone, hard masks among them; a step on which no rule speaks trains',
  judge: 'judges alone; a step on which no judge speaks trains',
  human: 'people alone; a step on which nobody decided, or on which people differ, trains',
  unmasked: 'nobody: every step trains',
};

function countsOf({ rows, counts, dropped, overContext }: VariantPlan, repeat: ExportPlan['repeat']) {
  return {
    rows: countLines(rows, repeat),
    trajectories: {
      react: rows.filter(({ kind }) => kind === 'react').length,
      summary: rows.filter(({ kind }) => kind === 'summary').length,
    },
    ...countMasks(rows),
    labels: counts.map(({ source, reason, value, count }) => ({ source, reason, value, count })),
    dropped,
    over_context: overContext,
  };
}

function countRows({ rows }: VariantPlan): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { run } of rows) counts.set(run.created.run, (counts.get(run.created.run) ?? 0) + 1);
  return counts;
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
