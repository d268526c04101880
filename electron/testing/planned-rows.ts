import { type ExportOptions, exportRequestSchema } from '@shared/contract/export-request';
import { EntryMaker, reward, vote } from '@shared/log/annotation-fixtures';
import type { AnnotationEntry } from '@shared/log/annotations';
import { evaluated } from '@shared/log/event-fixtures';
import type { EventBody } from '@shared/log/events';
import { RunScript } from '@shared/runs/run-fixtures';
import { datasetPreset } from '../dataset/export-request';
import type { ExportPlan } from '../dataset/plan';
import { type Candidate, planVariant } from '../dataset/plan-variants';
import { type DatasetRow, datasetRows } from '../dataset/rows';
import { planRun, type RunPlan } from '../dataset/run-plan';
import type { Target, TargetDrop, TargetRecord } from '../dataset/targets/target';
import { MemoryReader } from './memory-reader';

/**
 * Plan and rows of made-up runs for one variant, also rows in which nothing trains. There are no filters, and undecided steps train.
 */
export async function plannedRows(
  scripts: readonly RunScript[],
  entries: AnnotationEntry[] = [],
  options: Partial<ExportOptions> = {},
): Promise<{ plan: ExportPlan; rows: DatasetRow[]; reader: MemoryReader }> {
  const reader = new MemoryReader(new Map(scripts.map((script) => [script.run, script.events])), entries);
  const chosen = exportRequestSchema.parse({ undecided: 'train', ...options });
  const preset = datasetPreset(chosen.preset, chosen);
  const runs: RunPlan[] = [];
  for (const { run, events } of scripts) {
    const plan = await planRun(reader, run, events.length, {
      preset: chosen.preset,
      reasoning: preset.reasoning,
      variants: chosen.variants,
    });
    if (plan !== null) runs.push(plan);
  }
  const steps = new Map(
    runs.flatMap(({ created, segments }) =>
      segments.flatMap((segment) =>
        segment.steps.map((step) => [`${created.run} ${step.step}`, step] as const),
      ),
    ),
  );
  const candidates = runs.flatMap((run) =>
    run.segments.flatMap((segment): Candidate[] => {
      const { summary, tokens } = segment;
      const carried = segment.carried.flatMap((each) => steps.get(`${each.run} ${each.step}`) ?? []);
      const row = { run, segment, tokens, split: 'train' as const, purged: false };
      const react = { ...row, kind: 'react' as const, steps: segment.steps };
      const turn = summary === null ? [] : [summary.step];
      return [
        { ...react, carried: preset.carried === 'paper' ? carried : [] },
        { ...row, kind: 'summary' as const, steps: turn, carried: [] },
      ].filter((each) => each.steps.length > 0);
    }),
  );
  const variants = chosen.variants.map((variant) =>
    planVariant(variant, candidates, runs, { undecided: chosen.undecided, preset, keepsUntrained: true }),
  );
  const plan = { options: chosen, preset, runs, variants } as unknown as ExportPlan;
  const read: DatasetRow[] = [];
  for await (const row of datasetRows(reader, plan, { variant: chosen.variants[0] })) read.push(row);
  return { plan, rows: read, reader };
}

export interface MadeRecords {
  records: TargetRecord[];
  dropped: TargetDrop[];
  /** What the target itself finds wrong with its records. */
  problems: string[];
}

/** Records of the rows that the target takes, those of `rest` last. */
export async function recordsOf(
  target: Target,
  { plan, rows, reader }: Awaited<ReturnType<typeof plannedRows>>,
  argumentsForm: 'string' | 'object' = 'string',
): Promise<MadeRecords> {
  const [variant = 'all'] = plan.options.variants;
  const maker = await target.begin({ plan, reader, variant, argumentsForm });
  const records: TargetRecord[] = [];
  for (const row of rows) {
    const trains = row.messages.some(
      (message) => 'step_loss_mask' in message && message.step_loss_mask === 1,
    );
    if (!target.kinds.includes(row.plan.kind) || (!trains && target.untrained !== 'keep')) continue;
    records.push(...maker.records(row));
  }
  for await (const record of maker.rest?.() ?? []) records.push(record);
  return {
    records,
    dropped: maker.dropped(),
    problems: records.flatMap(({ value }) => target.problems(value)),
  };
}

export const runName = (number: number) => `01KRVN${String(number).padStart(20, '0')}`;

/** Adds the score that a run ends with. */
export function scored(script: RunScript, score: number | null, forced = true): RunScript {
  const { step } = script;
  const more = { attempt: forced ? null : 1, forced, isolated: true };
  return script.add('evaluation.ended', evaluated(forced ? null : step, score, more));
}

/** A run that continues where another one was after a step, with the note that tells the agent so. */
export function branchOf(
  parent: RunScript,
  step: number,
  run: string,
  options: Partial<EventBody<'run.created'>> = {},
  notice = '[Workspace moved] The workspace is now elsewhere.',
): RunScript {
  const script = new RunScript(run, { parent: { run: parent.run, step }, ...options }).startSegment();
  const steps = parent.events.flatMap((event) =>
    event.kind === 'model.answered' && event.body.step <= step ? [event.body] : [],
  );
  for (const answered of steps) {
    const observed = parent.events.flatMap((event) =>
      event.kind === 'action.observed' && event.body.step === answered.step ? [event.body] : [],
    );
    script.add('step.inherited', {
      run: parent.run,
      answered,
      observed,
      delivered: [],
      taught: answered.step === step && notice !== '' ? notice : null,
    });
  }
  script.step = step;
  return script;
}

/** Votes of one judge on whether a step is good: `k` +1, `m` −1, `u` not understood. */
export function ratingsOn(step: number, votes: string, run = runName(1)): AnnotationEntry[] {
  const maker = new EntryMaker('Rater', `rater ${step}`, run);
  return [...votes].map((each, index) =>
    maker.entry(step, reward(each === 'k' ? 1 : each === 'm' ? -1 : 0, index + 1)),
  );
}

/** Votes of judges on a step: `k` keep, `m` mask, `u` unparsable. */
export function votesOn(step: number, votes: string, run = runName(1)): AnnotationEntry[] {
  return [...votes].map((each, index) => {
    const entry = vote(each === 'm' ? 'mask' : 'keep');
    const body = each === 'u' ? { ...entry, reason: 'unparsable' } : entry;
    return new EntryMaker(`Judge ${index + 1}`, `judge ${index} ${step}`, run).entry(
      step,
      body as typeof entry,
    );
  });
}
