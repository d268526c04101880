import { textDigest } from '../../base/text-digest';
import type { EventBody, EventOf, RunEvent } from '../../log/events';
import type { DetectorFacts, TaskRules } from '../detectors/detector';
import { detectorSetVersion, detectors } from '../detectors/detector-set';
import { bestOf } from '../scores';
import { type AttentionItem, type AttentionKind, byNeed } from './attention';
import { foldBudgets } from './attention-budgets';
import { endIdle, foldGpus, GPU_IDLE_MS, idleItem } from './attention-gpu';
import {
  ATTENTION_VERSION,
  type AttentionState,
  foldTime,
  occurred,
  over,
  overAll,
  raise,
  workingMs,
} from './attention-state';

/** So many failed steps in a row are a loop (product.md, rail: "error loop x5"). */
const ERROR_STREAK = 5;
/** Failed steps named by an item. */
const MOST_STEPS = 20;

/** At most one failure counts per step, however many calls it made. */
function foldObserved(state: AttentionState, event: EventOf<'action.observed'>): void {
  const { error, data, step } = event.body;
  const failed = error !== null || (typeof data.exitCode === 'number' && data.exitCode !== 0);
  if (!failed || state.errors.failed || step !== state.errors.step) return;
  state.errors.failed = true;
  failedStep(state, event, error?.code ?? 'exit_code');
}

/** The step before is complete: one that went well ends the row. */
function settleErrors(state: AttentionState): void {
  const { errors } = state;
  if (errors.failed || errors.step === 0) return;
  if (errors.count >= ERROR_STREAK) over(state, 'error_streak', `${errors.steps[0]}`);
  Object.assign(errors, { steps: [], count: 0, code: '' });
}

function failedStep(state: AttentionState, event: RunEvent, code: string): void {
  const { errors } = state;
  errors.count += 1;
  errors.code = code;
  // The first step stays: it names the row.
  errors.steps = [
    ...errors.steps.slice(0, 1),
    ...errors.steps.slice(1).slice(-(MOST_STEPS - 2)),
    errors.step,
  ];
  if (errors.count < ERROR_STREAK) return;
  raise(state, event, 'error_streak', `${errors.steps[0]}`, {
    step: errors.step,
    steps: errors.steps,
    facts: { count: errors.count, code },
  });
}

/** Identifies what the fold and its detectors find. */
export const attentionVersion = `${ATTENTION_VERSION} ${detectorSetVersion}`;

/** A shorter standstill is a busy machine, not sleep, ms. */
const STANDSTILL_MS = 60_000;
/** Points that a score must fall by. */
const SCORE_FALL = 0.05;
export function startAttention(run: string): AttentionState {
  return {
    version: attentionVersion,
    run,
    seq: 0,
    at: 0,
    step: 0,
    status: null,
    ended: false,
    limits: null,
    rules: rulesOf({}),
    taken: 0,
    tokens: 0,
    cost: 0,
    scores: { best: null, last: null, tries: 0, maxTries: 0 },
    time: { doneMs: 0, since: null, countedTo: 0 },
    action: null,
    errors: { steps: [], count: 0, code: '', failed: false, step: 0 },
    idle: {},
    items: [],
    counts: {},
    detectors: Object.fromEntries(detectors.map((detector) => [detector.id, detector.start()])),
  };
}

/** Advances the state by the run's next event. */
export function foldAttention(state: AttentionState, event: RunEvent): void {
  foldTime(state, event);
  state.seq = event.seq;
  state.at = Math.max(state.at, event.at);
  foldKind(state, event);
  detect(state, event);
  foldBudgets(state, event);
}

/**
 * What there is to say at wall clock `now`, most urgent first. GPUs that are idle long enough become an item by time alone:
 * `nextAt` is when the next one does, null when none is on the way. `driven`: some process drives the run.
 */
export function attentionAt(
  state: AttentionState,
  now: number,
  driven: boolean,
): { items: AttentionItem[]; nextAt: number | null } {
  const waiting = driven && !state.ended ? Object.entries(state.idle) : [];
  const due = waiting.filter(([, { since }]) => now - since >= GPU_IDLE_MS);
  const later = waiting.filter(([, { since }]) => now - since < GPU_IDLE_MS);
  const left = !driven && !state.ended && state.status !== null && state.status !== 'paused';
  const items = [
    // Copies: the state goes on changing its own.
    ...state.items.map((item) => ({ ...item, facts: { ...item.facts } })),
    ...(left ? [leftAlone(state)] : []),
    ...due.map(([computer, idle]) => idleItem(state.run, computer, idle, null)),
  ];
  return {
    items: items.sort(byNeed),
    nextAt: later.length === 0 ? null : Math.min(...later.map(([, { since }]) => since)) + GPU_IDLE_MS,
  };
}

/** Its driver died, or was ended, without saying so in the log. */
function leftAlone({ run, seq, at, step }: AttentionState): AttentionItem {
  return {
    id: `${run} paused undriven`,
    run,
    kind: 'paused',
    urgency: 1,
    step: step === 0 ? null : step,
    steps: [],
    seq,
    at,
    facts: { reason: 'undriven' },
    open: true,
  };
}

function foldKind(state: AttentionState, event: RunEvent): void {
  switch (event.kind) {
    case 'run.created':
      created(state, event.body);
      return;
    case 'limits.changed':
      state.limits = event.body.limits;
      state.scores.maxTries = event.body.limits.maxEvals;
      return;
    case 'branch.began': {
      const { spent } = event.body;
      state.taken = spent.steps;
      state.tokens = spent.inputTokens + spent.outputTokens;
      state.cost = spent.cost;
      state.time.doneMs = spent.workingMs;
      Object.assign(state.scores, spent.evaluations);
      return;
    }
    case 'step.inherited':
      state.step = event.body.answered.step;
      return;
    case 'run.status':
      status(state, event);
      return;
    case 'driver.started':
      if (event.body.reason === 'resume') overAll(state, RESTS);
      return;
    case 'model.answered':
      answered(state, event);
      return;
    case 'summary.rejected':
      pay(state, event.body);
      return;
    case 'model.failed':
      pay(state, { usage: event.body.usage ?? null, cost: event.body.cost ?? null });
      return;
    case 'action.started': {
      const { step, call, name, args } = event.body;
      state.action = { step, call, name, digest: textDigest(JSON.stringify(args)) };
      return;
    }
    case 'action.observed':
      foldObserved(state, event);
      for (const item of state.items) {
        if (item.kind === 'asks_you' && item.step === event.body.step) item.open = false;
      }
      return;
    case 'approval.asked':
      raise(state, event, 'asks_you', event.body.approval, { step: event.body.step });
      return;
    case 'approval.decided':
      over(state, 'asks_you', event.body.approval);
      return;
    case 'evaluation.ended':
      evaluated(state, event);
      return;
    case 'hint.delivered':
      occurred(state, event, 'hint_delivered', `${event.seq}`, {
        step: event.body.step === 0 ? null : event.body.step,
        facts: { count: event.body.hints.length },
      });
      return;
    case 'clock.suspended': {
      const ms = Math.max(0, event.body.to - event.body.from);
      if (ms < STANDSTILL_MS) return;
      occurred(state, event, 'stood_still', `${event.seq}`, {
        step: state.step === 0 ? null : state.step,
        facts: { ms, from: event.body.from, to: event.body.to },
      });
      return;
    }
    case 'summary.ended':
      if (event.body.missing.length > 0) {
        const { step, missing } = event.body;
        occurred(state, event, 'summary_lost', `${step}`, { step, facts: { count: missing.length } });
      }
      return;
    case 'secret.seen': {
      const { step, kinds } = event.body;
      occurred(state, event, 'secret_seen', `${event.seq}`, {
        step,
        facts: {
          kinds: kinds.map(({ kind }) => kind).join(' '),
          count: kinds.reduce((sum, { count }) => sum + count, 0),
        },
        // A key of the person who watches: the agent, and whoever steers it, can use it now.
        ...(kinds.some(({ kind }) => kind === 'known') ? { urgency: 1 } : {}),
      });
      return;
    }
    case 'text.purged':
      // What a path says may be what was to be removed.
      for (const item of state.items) if ('path' in item.facts) item.facts.path = null;
      return;
    case 'gpu.changed':
      foldGpus(state, event);
      return;
    default:
      return;
  }
}

function created(state: AttentionState, body: EventBody<'run.created'>): void {
  state.limits = body.limits;
  state.scores.maxTries = body.limits.maxEvals;
  state.rules = rulesOf(body.spec);
}

/** Leniently: the specification was checked when the task was added, and older runs may lack a part. */
function rulesOf(spec: Record<string, unknown>): TaskRules {
  const rules = (typeof spec.rules === 'object' && spec.rules !== null ? spec.rules : {}) as Record<
    string,
    unknown
  >;
  const evaluation = (spec.evaluation ?? {}) as { max_score?: unknown };
  const computers: unknown[] = Array.isArray(spec.computers) ? spec.computers : [];
  const number = (value: unknown, otherwise: number) => (typeof value === 'number' ? value : otherwise);
  return {
    trainingCommands: Array.isArray(rules.training_commands)
      ? rules.training_commands.filter((each): each is string => typeof each === 'string')
      : ['\\btrain', '\\bfinetun', '\\btorchrun\\b', '\\bsft\\b', '\\bgrpo\\b'],
    gpuTakenMb: number(rules.gpu_taken_mb, 10_000),
    forgottenAfterSteps: number(rules.forgotten_after_steps, 50),
    maxScore: number(evaluation.max_score, 100),
    gpuComputers: computers.flatMap((each) => {
      const { name, gpus } = (each ?? {}) as { name?: unknown; gpus?: unknown };
      return typeof name === 'string' && gpus !== null && gpus !== undefined ? [name] : [];
    }),
  };
}

const RESTS: readonly AttentionKind[] = ['paused', 'host_lost'];

function status(state: AttentionState, event: EventOf<'run.status'>): void {
  const { status: now, reason } = event.body;
  state.status = now;
  const step = state.step === 0 ? null : state.step;
  const facts = { reason: reason ?? '' };
  if (now !== 'waiting_host') overAll(state, ['host_lost']);
  switch (now) {
    case 'running':
      overAll(state, RESTS);
      return;
    case 'waiting_host':
      raise(state, event, 'host_lost', `${event.seq}`, { step, facts });
      return;
    case 'waiting_human':
      // Which question it is, an event of its own says.
      return;
    case 'paused':
      overAll(state, ['paused']);
      endIdle(state, event);
      // Who asked for it knows it.
      raise(state, event, 'paused', `${event.seq}`, {
        step,
        facts,
        ...(reason === 'asked' ? { urgency: 3 } : {}),
      });
      return;
    case 'finished':
    case 'stopped':
    case 'failed':
      endIdle(state, event);
      overAll(state, null);
      state.ended = true;
      occurred(state, event, now === 'failed' ? 'failed' : 'finished', `${event.seq}`, {
        step,
        facts: { ...facts, status: now, score: state.scores.last, best: state.scores.best },
        ...(now === 'stopped' ? { urgency: 3 } : {}),
      });
      return;
  }
}

function answered(state: AttentionState, event: EventOf<'model.answered'>): void {
  const { body } = event;
  pay(state, body);
  settleErrors(state);
  state.step = Math.max(state.step, body.step);
  if (body.kind === 'summary') return;
  state.taken += 1;
  state.errors.step = body.step;
  state.errors.failed = body.kind === 'null';
  if (body.kind === 'null') failedStep(state, event, 'null');
}

function pay(
  state: AttentionState,
  { usage, cost }: Pick<EventBody<'model.answered'>, 'usage' | 'cost'>,
): void {
  state.tokens += usage === null ? 0 : usage.inputTokens + usage.outputTokens;
  state.cost += cost ?? 0;
}

function evaluated(state: AttentionState, event: EventOf<'evaluation.ended'>): void {
  const { score, attempt, forced } = event.body;
  const { scores } = state;
  const step = event.body.step ?? (state.step === 0 ? null : state.step);
  scores.tries = Math.max(scores.tries, forced ? 0 : (attempt ?? 0));
  if (score === null) return;
  for (const item of state.items) {
    const before = item.facts.from;
    if (item.kind === 'score_dropped' && item.open && typeof before === 'number' && score >= before)
      item.open = false;
  }
  if (scores.last !== null && score < scores.last - SCORE_FALL) {
    const facts = { from: scores.last, to: score, best: scores.best };
    raise(state, event, 'score_dropped', `${event.seq}`, { step, facts });
  }
  scores.last = score;
  scores.best = bestOf(scores.best, score);
}

function detect(state: AttentionState, event: RunEvent): void {
  const facts = factsOf(state, event);
  for (const detector of detectors) {
    for (const { key, step, steps, facts: found, open } of detector.look(
      state.detectors[detector.id],
      event,
      facts,
    )) {
      const known = state.items.some((item) => item.id === `${state.run} ${detector.id} ${key}`);
      if (open || known) raise(state, event, detector.id, key, { step, steps, facts: found, open });
      else occurred(state, event, detector.id, key, { step, steps, facts: found });
    }
  }
  if (event.kind === 'action.observed') state.action = null;
}

function factsOf(state: AttentionState, event: RunEvent): DetectorFacts {
  const { step, rules, scores, limits, action } = state;
  const fits =
    event.kind === 'action.observed' && action?.step === event.body.step && action.call === event.body.call;
  return {
    step,
    rules,
    scores,
    workingMs: workingMs(state),
    maxWorkingMs: limits?.maxWorkingMs ?? 0,
    action: fits ? action : null,
  };
}
