import type { Spent } from '../log/checkpoint-events';
import type { Limits, ModelCall, ModelRef } from '../log/event-parts';
import { type EventBody, type NewEvent, type StoredStatus, validCalls } from '../log/events';
import { hasEnded } from './run-status';
import { bestOf } from './scores';
import { WorkingTime } from './working-time';

/** A valid call of the latest step and how far it got. */
export interface RunCall extends ModelCall {
  index: number;
  /** Set once `action.started` is in the log. */
  started: Pick<EventBody<'action.started'>, 'args' | 'guards'> | null;
  approval: {
    id: string;
    decision: 'allow' | 'deny' | null;
    kinds: readonly string[];
    reason?: string | undefined;
  } | null;
  observed: boolean;
}

/** Whether a finish reason says that model or provider would not answer. */
export function isRefusal(finishReason: string | null): boolean {
  return finishReason === 'refusal' || finishReason === 'content_filter';
}

/** Why a run comes to its end by itself. */
type Ending = 'finish' | 'evals_spent';

/**
 * Run log → what a driver needs to go on: position inside the step, status, budgets, open sessions.
 * Small and bounded: it never keeps texts. Feed it every event in order.
 */
export class RunFold {
  created: EventBody<'run.created'> | null = null;
  epoch = 0;
  status: StoredStatus | null = null;
  reason: string | null = null;
  segment = 0;
  /** Answered steps that count against the limit: all but summary turns. */
  taken = 0;
  /** Used up by every paid answer, rejected summaries and broken answers included; a branch starts from its parent's. */
  readonly spent = { inputTokens: 0, outputTokens: 0, cost: 0 };
  /** In force; they can change while the run goes on. */
  limits: Limits | null = null;
  model: ModelRef | null = null;
  /** No answer of the model in force yet: its parameters may still be mended. */
  unproven = true;
  /** An answer of the model in force came without a count of its tokens. */
  unmetered = false;
  /** Answers in a row, since the driver came, that were refusals (`isRefusal`). */
  refusals = 0;
  /** The summary turn that has begun and has no segment yet. */
  summarising: { step: number; entries: number } | null = null;
  /** Latest step of the run that a checkpoint keeps; null without one. */
  checkpointed: number | null = null;
  /** The checkpoint that follows the final evaluation was made. */
  finalCheckpoint = false;
  /** Step after which this branch left its parent; 0 for a run of its own. */
  branchedAt = 0;
  /** Latest answered step; 0 before the first. */
  step = 0;
  /** The valid calls of the latest step, in order. */
  calls: RunCall[] = [];
  /** The latest request that no answer has followed yet; `tokens`: of its input, estimated. */
  requested: { step: number; attempt: number; tokens: number } | null = null;
  /** Set by the observation of an action that ends the run. */
  ending: Ending | null = null;
  evaluations = { tries: 0, best: null as number | null, last: null as number | null, forced: false };
  /** Hints in the context that no answer has followed yet. */
  unseenHints: string[] = [];
  /** Sessions opened and not known to have ended, by uid. */
  readonly sessions = new Map<string, { computer: string; session: string }>();
  /** Steps of preparing computers that are done, keyed `computer:id`. */
  readonly setup = new Set<string>();
  /** Whether the computers see one workspace; null with one computer. */
  probed: EventBody<'workspace.probed'> | null = null;
  /** Outbox entries (ULID) that were applied. */
  readonly applied = new Set<string>();
  /** Kinds of actions that a person allowed for the rest of this run. A branch starts with none. */
  readonly allowedKinds = new Set<string>();
  /** A file of the workspace changed since a person last answered a question. */
  wroteSinceAnswer = false;
  readonly time = new WorkingTime();

  /** `at`: the event's wall clock. */
  apply(event: NewEvent, at: number): void {
    this.time.apply(event, at);
    switch (event.kind) {
      case 'run.created':
        this.created = event.body;
        this.limits = event.body.limits;
        this.model = event.body.model;
        return;
      case 'driver.started':
        this.epoch = event.body.epoch;
        this.refusals = 0;
        return;
      case 'run.status':
        this.status = event.body.status;
        this.reason = event.body.reason;
        return;
      case 'segment.started':
        this.segment = event.body.segment;
        this.summarising = null;
        return;
      case 'model.requested':
        this.requested = {
          step: event.body.step,
          attempt: event.body.attempt,
          tokens: event.body.tokensEstimate,
        };
        return;
      case 'model.failed':
        if (event.body.usage !== undefined) {
          this.pay({ usage: event.body.usage, cost: event.body.cost ?? null });
        }
        return;
      case 'model.answered':
        this.answer(event.body);
        return;
      case 'summary.started':
        this.summarising = { step: event.body.step, entries: event.body.entries };
        return;
      case 'summary.rejected':
        this.pay(event.body);
        return;
      case 'model.changed':
        this.model = event.body.model;
        this.unproven = true;
        this.unmetered = false;
        return;
      case 'limits.changed':
        this.limits = event.body.limits;
        this.unmetered = false;
        return;
      case 'checkpoint.made':
        this.checkpointed = event.body.step;
        this.finalCheckpoint ||= event.body.why === 'final';
        return;
      case 'step.inherited':
        this.step = event.body.answered.step;
        return;
      case 'branch.began':
        this.begin(event.body);
        return;
      case 'action.started':
        this.update(event.body, (call) => {
          call.started = { args: event.body.args, guards: event.body.guards };
        });
        return;
      case 'action.observed':
        this.update(event.body, (call) => {
          call.observed = true;
        });
        this.ending ??= endingOf(event.body.data.ends);
        return;
      case 'hint.delivered':
        this.unseenHints.push(...event.body.hints.map(({ id }) => id));
        return;
      case 'approval.asked':
        this.update(event.body, (call) => {
          call.approval = { id: event.body.approval, decision: null, kinds: event.body.kinds ?? [] };
        });
        return;
      case 'approval.decided':
        this.decide(event.body);
        return;
      case 'approval.withdrawn':
        this.allowedKinds.delete(event.body.kind);
        this.applied.add(event.body.entry);
        return;
      case 'file.changed':
        this.wroteSinceAnswer = true;
        return;
      case 'evaluation.ended':
        this.evaluate(event.body);
        return;
      case 'session.opened':
        this.sessions.set(event.body.uid, { computer: event.body.computer, session: event.body.session });
        return;
      case 'session.ended':
        this.sessions.delete(event.body.uid);
        return;
      case 'setup.done':
        this.setup.add(`${event.body.computer}:${event.body.id}`);
        return;
      case 'workspace.probed':
        this.probed = event.body;
        return;
      case 'control.applied':
        this.applied.add(event.body.entry);
        return;
      default:
        return;
    }
  }

  get ended(): boolean {
    return hasEnded(this.status);
  }

  /** The first valid call of the latest step without an observation: where a resumed run goes on. */
  get nextCall(): RunCall | null {
    return this.calls.find((call) => !call.observed) ?? null;
  }

  private pay(body: Pick<EventBody<'model.answered'>, 'usage' | 'cost'>): void {
    this.unmetered ||= body.usage === null;
    this.spent.inputTokens += body.usage?.inputTokens ?? 0;
    this.spent.outputTokens += body.usage?.outputTokens ?? 0;
    this.spent.cost += body.cost ?? 0;
  }

  private begin({ parent, spent }: EventBody<'branch.began'>): void {
    const { inputTokens, outputTokens, cost } = spent;
    Object.assign(this.spent, { inputTokens, outputTokens, cost });
    Object.assign(this.evaluations, spent.evaluations);
    this.taken = spent.steps;
    this.branchedAt = parent.step;
    this.step = parent.step;
  }

  private answer(body: EventBody<'model.answered'>): void {
    this.step = body.step;
    this.pay(body);
    this.requested = null;
    this.unproven = false;
    if (body.kind === 'summary') {
      // No action of the agent's, and it read only what it summarised.
      this.calls = [];
      return;
    }
    this.taken += 1;
    this.refusals = body.kind === 'null' && isRefusal(body.finishReason) ? this.refusals + 1 : 0;
    this.unseenHints = [];
    this.calls = validCalls(body).map((call) => ({
      ...call,
      started: null,
      approval: null,
      observed: false,
    }));
  }

  private update(at: { step: number; call: number }, change: (call: RunCall) => void): void {
    const call = at.step === this.step ? this.calls.find(({ index }) => index === at.call) : undefined;
    if (call !== undefined) {
      change(call);
    }
  }

  private decide(body: EventBody<'approval.decided'>): void {
    this.wroteSinceAnswer = false;
    for (const kind of body.kinds ?? []) this.allowedKinds.add(kind);
    for (const { approval } of this.calls) {
      if (approval?.id === body.approval) {
        approval.decision = body.decision;
        approval.reason = body.reason;
      }
    }
  }

  private evaluate(body: EventBody<'evaluation.ended'>): void {
    const { evaluations } = this;
    evaluations.tries = Math.max(evaluations.tries, body.forced ? 0 : (body.attempt ?? 0));
    evaluations.forced ||= body.forced;
    if (body.score !== null) {
      evaluations.best = bestOf(evaluations.best, body.score);
      evaluations.last = body.score;
    }
  }
}

function endingOf(value: unknown): Ending | null {
  return value === 'finish' || value === 'evals_spent' ? value : null;
}

/** What a run has used up at wall clock `now`, ms. */
export function spentBy(fold: RunFold, now: number): Spent {
  const { tries, best, last } = fold.evaluations;
  return {
    workingMs: Math.max(0, Math.round(fold.time.ms(now))),
    steps: fold.taken,
    ...fold.spent,
    evaluations: { tries, best, last },
  };
}
