import { escapeHumanTag, escapeHumanTagInJson } from '@shared/context/human-tag';
import { type EventBody, type EventOf, type RunEvent, validCalls } from '@shared/log/events';
import { addScore, finalScore, type Scores } from '@shared/runs/scores';
import { type DatasetReader, eventPages } from '../event-pages';
import type { RowPlan } from '../plan';
import type { RunPlan, StepPlan } from '../run-plan';
import { voteOf } from './votes';

interface CallRecord {
  id: string;
  name: string;
  /** The model's own text. */
  arguments: string;
  valid: boolean;
  observation: string | null;
  ok: boolean | null;
  error: string | null;
  duration_ms: number | null;
}

/** One step for analysis. `null`: unknown, or there is none. Every record has every field. */
export interface StepRecord {
  run: string;
  step: number;
  id: string;
  segment: number;
  kind: string;
  task: string;
  task_hash: string;
  domain: string | null;
  experiment: string | null;
  arm: string | null;
  group: string | null;
  sample: number | null;
  seed: number | null;
  model: string;
  /** When it was answered, ms since 1970. */
  at: number;
  text: string;
  reasoning: string;
  /** Of the first call that could be understood; '' without one. */
  action: string;
  arguments: string;
  /** What all calls brought, then what taught. */
  observation: string;
  calls: CallRecord[];
  /** Hints from people that were delivered with its observation. */
  hints: string[];
  label: 'train' | 'mask' | null;
  mask: 0 | 1;
  source: string | null;
  reason: string | null;
  given_reason: string | null;
  disagreement: boolean;
  votes: { judge: string; vote: 1 | -1 | 0; reason: string; confidence: number | null; why: string }[];
  rewards: { judge: string; number: number; vote: 1 | -1 | 0; rubric: string; text: string }[];
  corrections: { by: string; text: string; name: string; arguments: string; note: string }[];
  /** Best and last score of the run once the step was over; the forced evaluation at the end is the run's. */
  best_score: number | null;
  last_score: number | null;
  /** What the run ended with. */
  final_score: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cached_tokens: number | null;
  reasoning_tokens: number | null;
  /** In the currency of the price table. */
  cost: number | null;
  duration_ms: number;
}

/** A step while its events are read. */
interface OpenRecord {
  answered: EventOf<'model.answered'>;
  observed: Map<number, EventBody<'action.observed'>>;
  taught: string;
  hints: string[];
}

/** What is known of a step from the plan. */
interface PlannedStep {
  row: RowPlan;
  step: StepPlan;
}

/** Records of the steps that the rows sampled, a run at a time, in the order of their events. Only one page and one step are held. */
export async function* stepRecords(
  reader: Pick<DatasetReader, 'events'>,
  rows: readonly RowPlan[],
  signal?: AbortSignal,
): AsyncGenerator<{ row: RowPlan; record: StepRecord }> {
  for (const [run, own] of byRun(rows)) {
    const planned = new Map<number, PlannedStep>();
    for (const row of own) for (const step of row.steps) planned.set(step.step, { row, step });
    const to = Math.max(...own.map(({ segment }) => segment.toSeq));
    const fold = new StepRecordFold(run, planned);
    for await (const page of eventPages(reader, run.created.run, { from: 1, to, signal })) {
      for (const event of page) yield* fold.apply(event);
    }
    yield* fold.end();
  }
}

function byRun(rows: readonly RowPlan[]): Map<RunPlan, RowPlan[]> {
  const runs = new Map<RunPlan, RowPlan[]>();
  for (const row of rows) {
    const own = runs.get(row.run);
    if (own === undefined) runs.set(row.run, [row]);
    else own.push(row);
  }
  return runs;
}

class StepRecordFold {
  private open: OpenRecord | null = null;
  private readonly scores: Scores = { best: null, final: null, last: null };

  constructor(
    private readonly run: RunPlan,
    private readonly planned: ReadonlyMap<number, PlannedStep>,
  ) {}

  *apply(event: RunEvent): Generator<{ row: RowPlan; record: StepRecord }> {
    switch (event.kind) {
      case 'model.answered':
        yield* this.end();
        this.open = { answered: event, observed: new Map(), taught: '', hints: [] };
        return;
      case 'action.observed':
        if (this.open?.answered.body.step === event.body.step && !this.open.observed.has(event.body.call)) {
          this.open.observed.set(event.body.call, event.body);
        }
        return;
      case 'step.taught':
        if (this.open?.answered.body.step === event.body.step) this.open.taught += event.body.text;
        return;
      case 'hint.delivered':
        if (this.open?.answered.body.step === event.body.step) {
          this.open.hints.push(...event.body.hints.map(({ text }) => text));
        }
        return;
      case 'evaluation.ended':
        if (!event.body.forced) addScore(this.scores, event.body.score, false);
        return;
      default:
        return;
    }
  }

  /** The step that is open, as nothing more will come to it. */
  *end(): Generator<{ row: RowPlan; record: StepRecord }> {
    const { open } = this;
    this.open = null;
    const planned = open === null ? undefined : this.planned.get(open.answered.body.step);
    if (open === null || planned === undefined) return;
    yield { row: planned.row, record: this.recordOf(open, planned) };
  }

  private recordOf({ answered, observed, taught, hints }: OpenRecord, planned: PlannedStep): StepRecord {
    const { row, step } = planned;
    const { created, scores } = this.run;
    const { body, at } = answered;
    const [first] = validCalls(body);
    const calls = body.calls.map(({ id, name, arguments: text }, index): CallRecord => {
      const seen = observed.get(index);
      return {
        id,
        name,
        arguments: escapeHumanTagInJson(text),
        valid: (body.invalid[index] ?? null) === null,
        observation: seen === undefined ? null : escapeHumanTag(seen.text),
        ok: seen?.ok ?? null,
        error: seen?.error == null ? null : `${seen.error.code}: ${seen.error.message}`,
        duration_ms: seen?.durationMs ?? null,
      };
    });
    const seen = calls.flatMap(({ observation }) => (observation === null ? [] : [observation]));
    return {
      run: created.run,
      step: body.step,
      id: body.stepId,
      segment: row.segment.segment,
      kind: body.kind,
      task: created.task.id,
      task_hash: created.task.hash,
      domain: created.task.domain,
      experiment: created.experiment,
      arm: created.arm,
      group: created.group,
      sample: created.sample,
      seed: created.seed,
      model: step.model.model,
      at,
      text: escapeHumanTag(body.text),
      reasoning: escapeHumanTag(body.reasoning),
      action: first?.name ?? '',
      arguments: calls[first?.index ?? -1]?.arguments ?? '',
      observation: [...seen, ...(taught === '' ? [] : [escapeHumanTag(taught)])].join('\n\n'),
      calls,
      hints,
      label: step.label.value,
      mask: row.masks.get(step.step) ?? 0,
      source: step.label.source,
      reason: step.label.reason,
      given_reason: step.given,
      disagreement: step.label.disagreement,
      votes: step.judges.map((verdict) => ({
        judge: verdict.judge,
        vote: voteOf(verdict),
        reason: verdict.reason,
        confidence: verdict.confidence,
        why: verdict.why,
      })),
      rewards: step.rewards.map(({ judge, vote: number, value, rubric, text }) => ({
        judge,
        number,
        vote: value,
        rubric,
        text,
      })),
      corrections: step.corrections.map(({ author, correction: { text, call, note } }) => ({
        by: author.name,
        text,
        name: call.name,
        arguments: call.arguments,
        note,
      })),
      best_score: this.scores.best,
      last_score: this.scores.last,
      final_score: finalScore(scores),
      input_tokens: body.usage?.inputTokens ?? null,
      output_tokens: body.usage?.outputTokens ?? null,
      cached_tokens: body.usage?.cachedTokens ?? null,
      reasoning_tokens: body.usage?.reasoningTokens ?? null,
      cost: body.cost,
      duration_ms: body.durationMs,
    };
  }
}
