import type { ExportVariant, RewardSignal } from '@shared/contract/export-request';
import { EntryMaker, vote } from '@shared/log/annotation-fixtures';
import type { AnnotationEntry } from '@shared/log/annotations';
import type { EventBody } from '@shared/log/events';
import { RunScript } from '@shared/runs/run-fixtures';
import type { ExportPlan, RowPlan } from '../dataset/export-plan';
import { datasetPreset } from '../dataset/export-request';
import { type DatasetRow, datasetRows } from '../dataset/rows';
import { planRun, type RunPlan } from '../dataset/run-plan';
import type { Target, TargetDrop, TargetRecord } from '../dataset/targets/target';
import { MemoryReader } from './memory-reader';

/** Plan and rows of made-up runs, without filters; also rows in which nothing trains. Undecided steps train. */
export async function plannedRows(
  scripts: readonly RunScript[],
  entries: AnnotationEntry[] = [],
  carried: 'once' | 'paper' = 'once',
): Promise<{ plan: ExportPlan; rows: DatasetRow[]; reader: MemoryReader }> {
  const reader = new MemoryReader(new Map(scripts.map((script) => [script.run, script.events])), entries);
  const preset = { ...datasetPreset('default', { carried }) };
  const runs: RunPlan[] = [];
  for (const { run, events } of scripts) {
    const plan = await planRun(reader, run, events.length, { preset: 'default', reasoning: 'as-sent' });
    if (plan !== null) runs.push(plan);
  }
  const rows = runs.flatMap((run) =>
    run.segments.flatMap((segment): RowPlan[] => {
      const masksOf = (steps: RowPlan['steps']) =>
        new Map(steps.map(({ step, label }) => [step, label.value === 'mask' ? 0 : 1] as const));
      const row = { run, segment, carried: new Map(), tokens: segment.tokens };
      const { steps, summary } = segment;
      const react: RowPlan = { ...row, kind: 'react', steps, masks: masksOf(steps) };
      const turn = summary === null ? [] : [summary.step];
      const summarised: RowPlan = { ...row, kind: 'summary', steps: turn, masks: masksOf(turn) };
      return [...(steps.length > 0 ? [react] : []), ...(turn.length > 0 ? [summarised] : [])];
    }),
  );
  const plan = { preset, runs, rows } as unknown as ExportPlan;
  const read: DatasetRow[] = [];
  for await (const row of datasetRows(reader, plan, {})) read.push(row);
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
  options: {
    variant?: ExportVariant;
    rewards?: RewardSignal;
    argumentsForm?: 'string' | 'object';
  } = {},
): Promise<MadeRecords> {
  const { variant = 'all', rewards, argumentsForm = 'string' } = options;
  const maker = await target.begin({ plan, reader, variant, argumentsForm, rewards });
  const records: TargetRecord[] = [];
  for (const row of rows) {
    const trains = row.messages.some(
      (message) => 'step_loss_mask' in message && message.step_loss_mask === 1,
    );
    if (!target.kinds.includes(row.plan.kind) || (!trains && target.untrained !== 'kept')) continue;
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
  return script.add('evaluation.ended', {
    ...{ step: forced ? null : script.step, outcome: score === null ? 'unavailable' : 'scored' },
    ...{ attempt: forced ? null : 1, forced, score, raw: score, metrics: {}, message: '' },
    ...{ penalty: 0, protectedChanged: [], durationMs: 1, isolated: true },
  });
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
      ...{ run: parent.run, answered, observed, delivered: [] },
      taught: answered.step === step && notice !== '' ? notice : null,
    });
  }
  script.step = step;
  return script;
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
