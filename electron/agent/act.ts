import { boundText, observationLimit, sentenceLimit } from '@shared/base/bounded-text';
import { wellFormed } from '@shared/base/clean-text';
import { hasHumanTag, hasHumanTagInJson } from '@shared/context/human-tag';
import type { EventBody, NewEvent } from '@shared/log/events';
import type { RunCall } from '@shared/runs/run-fold';
import { askApproval } from './approve';
import { leftMs, withTimeLimit } from './budget';
import type { Loop } from './loop-types';
import type { ActionContext, ActionOutcome, ParsedCall } from './ports';
import { waitForComputer } from './wait-for-computer';

/** More calls in one answer than this are not run. */
const MOST_CALLS = 32;

/** What becomes an observation; the rest of `action.observed` is the same for every call. */
type Outcome = Partial<ActionOutcome> & Pick<ActionOutcome, 'ok' | 'text' | 'closedBy'>;

/**
 * Brings one valid call of the latest step to its one observation: guards, approval, `action.started` committed
 * before it runs, `action.observed` before anyone hears of it. A call that was started before a crash is closed by
 * looking. Returns without an observation when a human halted the run; the call is then still open.
 */
export async function act(loop: Loop, call: RunCall): Promise<void> {
  const { ports, state } = loop;
  if (state.run.ending !== null) {
    await observe(loop, call, notRun('Not run: an earlier call in this answer ended the run.'));
    return;
  }
  const parsed = ports.actions.parse(call.name, call.arguments);
  const tooMany = oneTooMany(loop, call);
  if (tooMany !== null) {
    await observe(loop, call, failure('refused', tooMany));
    return;
  }
  if (!parsed.ok) {
    // A call by its form; there is no such tool, or its arguments do not fit.
    await observe(loop, call, failure('bad_input', parsed.problem));
    return;
  }
  const startedBefore = call.started !== null;
  if (!startedBefore && !(await prepare(loop, call, parsed.call))) {
    return;
  }
  const startedAt = ports.clock.monotonic();
  const outcome = await perform(loop, call, parsed.call, startedBefore);
  if (outcome !== null) {
    const tookMs = ports.clock.monotonic() - startedAt;
    await observe(loop, call, withWarnings(outcome, call), { name: parsed.call.name, tookMs });
  }
}

/** Why a call is not run because of the calls before it in the same answer; null: it may run. */
function oneTooMany({ state: { run, context } }: Loop, call: RunCall): string | null {
  const before = run.calls.indexOf(call);
  // What was asked for holds also where the endpoint refused to be told (`refused-parameter`).
  const asked = [context.request, run.model?.params];
  if (before > 0 && asked.some((each) => each?.parallel_tool_calls === false)) {
    return 'Not run: only one call in each answer is run here, and this was not the first. Send it again if you still want it.';
  }
  return before >= MOST_CALLS ? `Not run: only the first ${MOST_CALLS} calls of an answer are run.` : null;
}

/** Everything before the action runs. False when it is not to run now: refused, put off, or the run was halted. */
async function prepare(loop: Loop, call: RunCall, parsed: ParsedCall): Promise<boolean> {
  const { ports, state } = loop;
  if (parsed.name === 'finish' && (await putOffFinish(loop, call))) {
    return false;
  }
  const guards = ports.actions.guards(parsed, state.run.step);
  const at = { step: state.run.step, call: call.index };
  const started: NewEvent = {
    kind: 'action.started',
    body: { ...at, callId: call.id, name: parsed.name, args: parsed.args, guards },
  };
  const refusals = guards.filter(({ level }) => level === 'refuse');
  if (refusals.length > 0) {
    const message = refusals.map((guard) => guard.message).join('\n');
    const why = { guards: refusals.map(({ rule }) => rule) };
    await observe(loop, call, failure('refused', message, why), { name: parsed.name, before: [started] });
    return false;
  }
  const allowed = await askApproval(loop, call, parsed);
  if (allowed === 'halted') {
    return false;
  }
  if (allowed !== 'allowed') {
    const why = allowed.denied === '' ? '' : ` The user wrote: "${allowed.denied}"`;
    const message = `The user did not allow this action.${why} Find another way, or explain why you need it.`;
    const denied = failure('refused', message, { denied: true });
    await observe(loop, call, denied, { name: parsed.name, before: [started] });
    return false;
  }
  await ports.recorder.record([started]);
  return true;
}

/** `finish` with hints due is answered with them once instead of ending the run (semantics, Hints). */
async function putOffFinish(loop: Loop, call: RunCall): Promise<boolean> {
  const { hints } = await loop.ports.hints.due(true);
  if (hints.length === 0) {
    return false;
  }
  const text =
    'Not finished yet: the user has sent you a message, which follows. Take it into account, then call finish again.';
  await observe(loop, call, { ...notRun(text), ok: true, data: { putOff: true } }, { name: 'finish' });
  return true;
}

async function perform(
  loop: Loop,
  call: RunCall,
  parsed: ParsedCall,
  look: boolean,
): Promise<Outcome | null> {
  emitActing(loop, parsed);
  return waitForComputer(
    loop,
    () => attempt(loop, call, parsed, look ? 'restart' : null),
    () => attempt(loop, call, parsed, look ? 'restart' : 'link'),
  );
}

/** Throws only what says that the computer is away. `lookFor`: null = the first try. */
async function attempt(
  loop: Loop,
  call: RunCall,
  parsed: ParsedCall,
  lookFor: ActionContext['lookFor'] | null,
): Promise<Outcome> {
  const { ports, state } = loop;
  const { actions, control } = ports;
  const limit = withTimeLimit([control.halt], leftMs(loop));
  const wake = new AbortController();
  const unsubscribe = control.onWake(() => wake.abort(new Error('Woken by the user.')));
  const context: ActionContext = {
    step: state.run.step,
    call: call.index,
    callId: call.id,
    signal: limit.signal,
    wake: wake.signal,
    leftMs: leftMs(loop),
    ...(lookFor ? { lookFor } : {}),
  };
  try {
    const outcome = await (lookFor ? actions.look(parsed, context) : actions.run(parsed, context));
    // Cut short by a human, the clock or the end of the application: not the action's own failure, so no rule may hold it against
    // the step.
    return (limit.signal.aborted || lookFor) && outcome.error?.code === 'cancelled'
      ? { ...outcome, error: null, closedBy: 'interrupted' }
      : outcome;
  } catch (error) {
    if (ports.unavailable(error) !== null) {
      throw error;
    }
    if (limit.signal.aborted) {
      const why = limit.timedOut() ? 'the working time ran out' : 'the run was paused or stopped';
      return { ok: false, text: `Interrupted: ${why}.`, closedBy: 'interrupted' };
    }
    return failure(
      'exception',
      `${parsed.name} failed unexpectedly: ${messageOf(error)}`,
      {},
      stackOf(error),
    );
  } finally {
    unsubscribe();
    limit.done();
  }
}

function emitActing({ ports }: Loop, { name, args }: ParsedCall): void {
  const seconds = name === 'sleep' ? Number(args.sleep_time) : Number.NaN;
  if (Number.isFinite(seconds)) {
    ports.live.emit({ kind: 'state', state: 'sleeping', until: ports.clock.now() + seconds * 1_000 });
  } else {
    ports.live.emit({ kind: 'state', state: 'acting', until: null });
  }
}

/**
 * `name`: of the action, which the model may have called by another of its names; `before`: recorded with it. What the model
 * reads is bounded here, whoever wrote it: an action, a guard, an error that nobody expected, or a person.
 */
async function observe(
  loop: Loop,
  call: RunCall,
  outcome: Outcome,
  { name = call.name, tookMs = 0, before = [] }: { name?: string; tookMs?: number; before?: NewEvent[] } = {},
): Promise<void> {
  const { ports, state } = loop;
  const text = boundText(wellFormed(outcome.text), 'ask for a smaller part', observationLimit);
  const ends = outcome.ends ?? null;
  const body: EventBody<'action.observed'> = {
    step: state.run.step,
    call: call.index,
    callId: call.id,
    name,
    ok: outcome.ok,
    error: outcome.error == null ? null : { ...outcome.error, message: firstLine(outcome.error.message) },
    text,
    data: ends === null ? (outcome.data ?? {}) : { ...outcome.data, ends },
    offsets: ports.actions.offsets(),
    durationMs: Math.max(0, Math.round(tookMs)),
    closedBy: outcome.closedBy,
    imitatesHuman: hasHumanTag(text) || hasHumanTagInJson(call.arguments),
    ...(outcome.images === undefined ? {} : { images: outcome.images }),
  };
  await ports.recorder.record([...before, ...(outcome.events ?? []), { kind: 'action.observed', body }]);
}

/** A guard at level `warn` speaks to the agent too; the step carries it in `action.started`. */
function withWarnings(outcome: Outcome, call: RunCall): Outcome {
  const warnings = (call.started?.guards ?? []).filter(({ level }) => level === 'warn');
  // After the end there is nobody to speak to.
  return warnings.length === 0 || (outcome.ends ?? null) !== null
    ? outcome
    : {
        ...outcome,
        text: `${outcome.text}${warnings.map(({ message }) => `\n\n[Notice] ${message}`).join('')}`,
      };
}

function notRun(text: string): Outcome {
  return { ok: false, text, closedBy: 'not_run' };
}

function failure(
  code: string,
  message: string,
  data: Record<string, unknown> = {},
  detail?: string,
): Outcome {
  const error = { code, message, ...(detail === undefined ? {} : { detail }) };
  return { ok: false, error, text: message, data, closedBy: code === 'exception' ? 'run' : 'not_run' };
}

const firstLine = (text: string) => (text.split('\n', 1)[0] ?? '').slice(0, sentenceLimit);
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
const stackOf = (error: unknown) => (error instanceof Error ? error.stack : undefined);
