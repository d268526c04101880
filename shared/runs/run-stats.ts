import type { NewEvent, RunEvent } from '../log/events';
import { WorkingTime } from './working-time';

/** What a step is about, for plots: families of actions, and answers that are none. */
export const stepFamilies = [
  'command',
  'session',
  'file',
  'web',
  'think',
  'sleep',
  'evaluation',
  'summary',
  'null',
  'other',
] as const;
export type StepFamily = (typeof stepFamilies)[number];

/** Working time of the run until then, as `WorkingTime` counts it; null where its log does not say when it worked, as of imports. */
export type WorkingMs = number | null;

export interface StatsPoint {
  /** Steps answered so far. */
  step: number;
  at: number;
  workingMs: WorkingMs;
  /** Cumulated; null while no answer had a price. */
  cost: number | null;
  /** Cumulated tokens. */
  input: number;
  output: number;
}

export interface StatsEvaluation {
  step: number;
  at: number;
  workingMs: WorkingMs;
  attempt: number | null;
  score: number | null;
  forced: boolean;
}

export interface StatsSegment {
  segment: number;
  firstStep: number;
  steps: number;
  input: number;
  cached: number;
  output: number;
}

/** Steps `from..to` by family. */
export interface StatsBucket {
  from: number;
  to: number;
  counts: Partial<Record<StepFamily, number>>;
}

/** What plots and `stats` say of a run's log; labels and people are counted apart. Bounded whatever the run's length. */
export interface LogStats {
  seq: number;
  steps: number;
  startedAt: number | null;
  endedAt: number | null;
  /** At its end, or by now. */
  workingMs: WorkingMs;
  points: StatsPoint[];
  evaluations: StatsEvaluation[];
  hints: { step: number; at: number; workingMs: WorkingMs; count: number }[];
  segments: StatsSegment[];
  buckets: StatsBucket[];
  /** Time in actions by name, ms; errors are failed actions and commands that exited with another code than 0. */
  tools: { tool: string; calls: number; errors: number; ms: number }[];
}

const MAX_POINTS = 600;
const MAX_BUCKETS = 80;
const MAX_MARKS = 2_000;

/** Folds a run's events; what grows with the run is thinned out by halves. */
export class RunStatsFold {
  private seq = 0;
  private steps = 0;
  private startedAt: number | null = null;
  private endedAt: number | null = null;
  private readonly total = { cost: 0, priced: false, input: 0, output: 0 };
  private points: StatsPoint[] = [];
  private stride = 1;
  private readonly evaluations: StatsEvaluation[] = [];
  private readonly hints: LogStats['hints'] = [];
  private readonly segments: StatsSegment[] = [];
  private buckets: StatsBucket[] = [];
  private width = 1;
  private readonly time = new WorkingTime();
  private timed = false;
  private readonly tools = new Map<string, { calls: number; errors: number; ms: number }>();

  /** Number of the last event. */
  get reached(): number {
    return this.seq;
  }

  /** As `WorkingTime.apply`, for the events that it counts by, in order with those of `apply`. */
  applyTiming(event: NewEvent, at: number): void {
    this.timed ||= event.kind === 'driver.started' || event.kind === 'branch.began';
    this.time.apply(event, at);
  }

  apply(event: StatsEvent): void {
    this.seq = event.seq;
    this.startedAt ??= event.at;
    this.endedAt = Math.max(this.endedAt ?? 0, event.at);
    switch (event.kind) {
      case 'segment.started':
        this.segments.push({
          segment: event.body.segment,
          firstStep: this.steps + 1,
          steps: 0,
          input: 0,
          cached: 0,
          output: 0,
        });
        return;
      case 'model.answered':
        this.answer(event);
        return;
      case 'action.observed': {
        const { name, error, data, durationMs } = event.body;
        const tool = this.tools.get(name) ?? { calls: 0, errors: 0, ms: 0 };
        tool.calls += 1;
        tool.ms += durationMs;
        if (error !== null || (typeof data.exitCode === 'number' && data.exitCode !== 0)) tool.errors += 1;
        this.tools.set(name, tool);
        return;
      }
      case 'evaluation.ended': {
        const { step, attempt, score, forced } = event.body;
        if (this.evaluations.length >= MAX_MARKS) return;
        this.evaluations.push({ step: step ?? this.steps, ...this.when(event.at), attempt, score, forced });
        return;
      }
      case 'hint.delivered':
        if (this.hints.length >= MAX_MARKS) return;
        this.hints.push({ step: event.body.step, ...this.when(event.at), count: event.body.hints.length });
        return;
    }
  }

  /** `until`: the end of what is counted as working time, wall clock; absent: the last event of `apply`. */
  stats(until?: number): LogStats {
    const { seq, steps, endedAt, evaluations, hints, segments, buckets } = this;
    const last = this.point(endedAt ?? 0);
    const points = this.points.at(-1)?.step === steps ? this.points : [...this.points, last];
    const tools = [...this.tools].map(([tool, counts]) => ({ tool, ...counts }));
    return {
      seq,
      steps,
      startedAt: this.startedAt,
      endedAt,
      workingMs: this.when(until ?? endedAt ?? 0).workingMs,
      evaluations,
      hints,
      segments,
      buckets,
      points: steps === 0 ? [] : points,
      tools: tools.sort((a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1)),
    };
  }

  private answer({ body, at }: Extract<StatsEvent, { kind: 'model.answered' }>): void {
    this.steps = Math.max(this.steps, body.step);
    const { total } = this;
    total.input += body.usage?.inputTokens ?? 0;
    total.output += body.usage?.outputTokens ?? 0;
    total.cost += body.cost ?? 0;
    total.priced ||= body.cost !== null;
    const segment = this.segments.at(-1);
    if (segment !== undefined) {
      segment.steps += 1;
      segment.input += body.usage?.inputTokens ?? 0;
      segment.cached += body.usage?.cachedTokens ?? 0;
      segment.output += body.usage?.outputTokens ?? 0;
    }
    this.count(body.step, familyOf(body.kind, body.calls[0]?.name ?? ''));
    if (body.step % this.stride === 0) {
      this.points.push(this.point(at));
      if (this.points.length >= MAX_POINTS) {
        this.stride *= 2;
        this.points = this.points.filter(({ step }) => step % this.stride === 0);
      }
    }
  }

  private point(at: number): StatsPoint {
    const { cost, priced, input, output } = this.total;
    return { step: this.steps, ...this.when(at), cost: priced ? cost : null, input, output };
  }

  private when(at: number): { at: number; workingMs: WorkingMs } {
    return { at, workingMs: this.timed ? this.time.ms(at) : null };
  }

  private count(step: number, family: StepFamily): void {
    while (Math.ceil(step / this.width) > MAX_BUCKETS) this.widen();
    const index = Math.floor((step - 1) / this.width);
    for (let next = this.buckets.length; next <= index; next++) {
      this.buckets.push({ from: next * this.width + 1, to: (next + 1) * this.width, counts: {} });
    }
    const counts = this.buckets[index]?.counts;
    if (counts !== undefined) counts[family] = (counts[family] ?? 0) + 1;
  }

  private widen(): void {
    this.width *= 2;
    const before = this.buckets;
    this.buckets = [];
    for (const { from, counts } of before) {
      const index = Math.floor((from - 1) / this.width);
      const bucket = this.buckets[index] ?? {
        from: index * this.width + 1,
        to: (index + 1) * this.width,
        counts: {},
      };
      for (const family of stepFamilies) {
        const n = (bucket.counts[family] ?? 0) + (counts[family] ?? 0);
        if (n > 0) bucket.counts[family] = n;
      }
      this.buckets[index] = bucket;
    }
  }
}

/** The kinds that the fold reads. */
export const statsKinds = [
  'segment.started',
  'model.answered',
  'action.observed',
  'evaluation.ended',
  'hint.delivered',
] as const;
export type StatsEvent = Extract<RunEvent, { kind: (typeof statsKinds)[number] }>;

function familyOf(kind: 'act' | 'think' | 'null' | 'summary', tool: string): StepFamily {
  if (kind !== 'act') return kind;
  if (tool === 'run_command') return 'command';
  if (/session/.test(tool)) return 'session';
  if (/file|_folder|list_dir/.test(tool)) return 'file';
  if (/^(?:web|open_url|parse)/.test(tool)) return 'web';
  if (tool === 'sleep' || tool === 'think') return tool;
  return tool === 'eval' || tool === 'finish' ? 'evaluation' : 'other';
}

/** What holds for a run's steps and who said so. */
export interface MaskCount {
  value: 'train' | 'mask' | 'undecided';
  source: 'adjudication' | 'human' | 'rule' | 'judge' | 'none';
  /** Rule id, criterion or initials; '' for none. */
  reason: string;
  steps: number;
}

export interface PersonProgress {
  uuid: string;
  name: string;
  /** Steps on which a decision of theirs stands. */
  decided: number;
  /** Decided steps over time, cumulated over entries; at most 200 points. */
  points: { at: number; decided: number }[];
}

export interface RunStats extends LogStats {
  run: string;
  title: string;
  masks: MaskCount[];
  rules: { rule: string; effect: 'mask' | 'keep'; steps: number }[];
  people: PersonProgress[];
}
