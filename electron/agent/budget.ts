import { duration } from '@shared/base/amounts';
import type { Limits } from '@shared/log/event-parts';
import type { Loop } from './loop-types';

/** Working time left, ms, never negative. */
export function leftMs(loop: Loop): number {
  const { ports, state } = loop;
  const now = ports.reckoned?.() ?? ports.clock.now();
  return Math.max(0, limitsOf(loop).maxWorkingMs - state.run.time.ms(now));
}

/** The limits in force: what the log says last, also of a change while the run went on. */
export function limitsOf({ state, options }: Loop): Limits {
  return state.run.limits ?? options.limits;
}

/** Which limit is used up, so that no further step may begin; null while all have room. */
export function usedUp(loop: Loop): LimitReached | null {
  const { taken, spent } = loop.state.run;
  const {
    maxSteps,
    maxTokens = Number.POSITIVE_INFINITY,
    maxCost = Number.POSITIVE_INFINITY,
  } = limitsOf(loop);
  if (taken >= maxSteps) {
    return 'max_steps';
  }
  if (leftMs(loop) === 0) {
    return 'max_time';
  }
  if (spent.inputTokens + spent.outputTokens >= maxTokens) {
    return 'max_tokens';
  }
  return spent.cost >= maxCost ? 'max_cost' : null;
}

export type LimitReached = 'max_steps' | 'max_time' | 'max_tokens' | 'max_cost';

/** Tokens reserved for an answer whose request names no limit of its own. */
const RESERVED_OUTPUT = 8_192;

/** Why a request may not be sent; `unknown`: a limit cannot be kept, and the text says why. */
export type NoRoom = { ok: false; limit: 'max_tokens' | 'max_cost' } | { ok: false; unknown: string };

/**
 * Whether a request may be sent: with all of its input fresh and its answer as long as it may get, it must stay within
 * the limits on tokens and money. The request itself is never cut to fit, so that it stays as the log says; what
 * is left below one request stays unused. `inputTokens`: the estimate of the whole request.
 */
export function roomFor(loop: Loop, inputTokens: number): { ok: true } | NoRoom {
  const { maxTokens, maxCost } = limitsOf(loop);
  if (maxTokens === undefined && maxCost === undefined) {
    return { ok: true };
  }
  const { spent, unmetered, model } = loop.state.run;
  const endpoint = model?.endpoint ?? 'The model';
  if (unmetered) {
    return { ok: false, unknown: `${endpoint} does not report the tokens of its answers` };
  }
  const outputTokens = reservedOutput(loop.state.context.request);
  if (
    maxTokens !== undefined &&
    spent.inputTokens + spent.outputTokens + inputTokens + outputTokens > maxTokens
  ) {
    return { ok: false, limit: 'max_tokens' };
  }
  if (maxCost === undefined) {
    return { ok: true };
  }
  const usage = { inputTokens, outputTokens, cachedTokens: 0, reasoningTokens: 0 };
  const cost = loop.ports.cost({ usage });
  if (cost === null) {
    return { ok: false, unknown: `${endpoint} has no price in the settings` };
  }
  return spent.cost + cost > maxCost ? { ok: false, limit: 'max_cost' } : { ok: true };
}

function reservedOutput(request: Record<string, unknown>): number {
  const named = request.max_completion_tokens ?? request.max_tokens;
  return typeof named === 'number' ? named : RESERVED_OUTPUT;
}

/**
 * What a request adds to its last message, for good (semantics, Context): working time, steps and evaluations left; tokens and
 * money where the run has such limits, and how long a training may run and how many calls an answer may make where that is no
 * longer what the system prompt says. A message that was sent with its line gets no other one when it is sent again as the last,
 * unless the limits have changed since.
 */
export function budgetTail(loop: Loop): string {
  const { run, context } = loop.state;
  if (context.line !== '') {
    return '';
  }
  const { maxSteps, maxEvals, maxTokens, maxCost, maxTrainingMs } = limitsOf(loop);
  const steps = Math.max(0, maxSteps - run.taken);
  const evals = Math.max(0, maxEvals - run.evaluations.tries);
  const tokens = maxTokens === undefined ? null : maxTokens - run.spent.inputTokens - run.spent.outputTokens;
  const cost = maxCost === undefined ? null : maxCost - run.spent.cost;
  const training = trainingNews(context.system, maxTrainingMs ?? null);
  const calls = callsNews(context.system, [context.request, run.model?.params ?? {}]);
  return [
    `\n\n[Budget: ${spell(leftMs(loop))} of working time, ${steps} steps and ${evals} of ${maxEvals} evaluations left`,
    tokens === null ? '' : `; ${Math.max(0, tokens)} of ${maxTokens} tokens`,
    cost === null ? '' : `; ${Math.max(0, cost).toFixed(2)} of ${maxCost} in money`,
    '.',
    training === null ? '' : ` ${training}.`,
    calls === null ? '' : ` ${calls}.`,
    ']',
  ].join('');
}

function spell(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) {
    return `${Math.ceil(ms / 1_000)} s`;
  }
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A signal that also aborts after `ms`; `done` lets go of timer and listeners. */
export function withTimeLimit(
  signals: readonly AbortSignal[],
  ms: number,
): { signal: AbortSignal; timedOut(): boolean; done(): void } {
  const controller = new AbortController();
  let timedOut = false;
  const abort = (event: Event) => controller.abort((event.target as AbortSignal).reason);
  for (const signal of signals) {
    if (signal.aborted) {
      controller.abort(signal.reason);
    } else {
      signal.addEventListener('abort', abort, { once: true });
    }
  }
  const timer = setTimeout(
    () => {
      timedOut = true;
      controller.abort(new Error('The working time is used up.'));
    },
    Math.min(ms, 2_147_483_647),
  );
  return {
    signal: controller.signal,
    timedOut: () => timedOut,
    done: () => {
      clearTimeout(timer);
      for (const signal of signals) {
        signal.removeEventListener('abort', abort);
      }
    },
  };
}

/** What the agent is told of the limit on one training, with the system prompt and, once it has changed, with the budgets. */
export function trainingWords(limitMs: number): string {
  return `A single training run may take ${duration(limitMs)} at most`;
}

/** What the budgets have to say because the system prompt says otherwise; null: nothing. `limitMs` null: there is no limit now. */
export function trainingNews(system: string, limitMs: number | null): string | null {
  if (limitMs !== null) return system.includes(trainingWords(limitMs)) ? null : trainingWords(limitMs);
  return /A single training run may take .{1,20} at most; then/u.test(system)
    ? 'A training run may now take as long as the run lasts'
    : null;
}

/** What the system prompt says of the calls in one answer, as the request itself says it (`parallel_tool_calls`). */
export const oneCallWords = 'one tool: each answer makes one call.';
export const severalCallsWords =
  'a tool. You may call several in one answer; they run one after another, and you see their output once all have run.';

/**
 * What the budgets have to say because the model or its endpoint was changed and the system prompt says otherwise; null: nothing.
 * `asked`: what the request and the endpoint in force say; whatever forbids it counts, as when the calls are run.
 */
export function callsNews(
  system: string,
  asked: readonly { parallel_tool_calls?: unknown }[],
): string | null {
  const says = (allowed: boolean) => asked.some((each) => each.parallel_tool_calls === allowed);
  if (says(false)) {
    return system.includes(severalCallsWords)
      ? 'Each answer may make only one call now; any further calls in it are not run'
      : null;
  }
  return says(true) && system.includes(oneCallWords) ? 'You may now make several calls in one answer' : null;
}
