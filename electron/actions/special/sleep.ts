import { duration } from '@shared/base/amounts';
import type { ActionContext } from '../../agent/ports';
import { ComputerUnavailable } from '../../computer/failures';
import { isHost, isUp, runsSomething } from '../../computer/hosts';
import { type ActionDefinition, type ActionEnvironment, type ActionResult, done, failed } from '../action';
import { untilTrainingLimit } from '../training-limit';

/** The reference's bounds, seconds. */
const shortest = 1e-6;
const longest = 1800;

/** A sleep of this length while nothing runs is asked about (APOLLO appendix E), ms. */
const longSleep = 120_000;

const after = 'Check what changed (get_session_output) before you do anything else.';

/** Resolves after `ms`, or earlier when a human wakes the agent. @throws the reason when `signal` aborts */
async function rest(env: ActionEnvironment, context: ActionContext, ms: number): Promise<'over' | 'woken'> {
  if (context.wake.aborted) return 'woken';
  const either = new AbortController();
  const end = () => either.abort(new Error('The sleep ends early.'));
  context.wake.addEventListener('abort', end);
  context.signal.addEventListener('abort', end);
  try {
    context.signal.throwIfAborted();
    await env.clock.sleep(ms, either.signal);
    return 'over';
  } catch (error) {
    if (context.wake.aborted && !context.signal.aborted) return 'woken';
    throw error;
  } finally {
    context.wake.removeEventListener('abort', end);
    context.signal.removeEventListener('abort', end);
  }
}

/** Whether there may be something to wait for: a command in one of the run's sessions, or a computer that cannot be asked. */
async function mayRun(env: ActionEnvironment): Promise<boolean> {
  const computers = env.desk.several(undefined);
  if (computers.some((computer) => isHost(computer) && !isUp(computer))) return true;
  try {
    return (await Promise.all(computers.map(runsSomething))).includes(true);
  } catch (error) {
    if (error instanceof ComputerUnavailable) return true;
    throw error;
  }
}

/** A long sleep for nothing is put to the agent before it sleeps, once; null: it sleeps. */
async function held(env: ActionEnvironment, askedMs: number): Promise<ActionResult | null> {
  const level = env.task.guards.early_sleep;
  const again = env.facts.last?.held === true && level === 'warn';
  if (level === 'off' || askedMs < longSleep || again || (await mayRun(env))) return null;
  const message = `Nothing is running in your sessions, so there is nothing to wait for; the sleep of ${duration(askedMs)} was skipped.`;
  if (level === 'refuse') return failed('refused', message, { guards: ['early_sleep'] });
  const notices = [{ rule: 'early_sleep', level, message }];
  const text = `${message} Call sleep again if you want to wait anyway.`;
  return done(text, { sleepMs: 0, askedMs, woken: false, held: true, notices });
}

/** Waits while something runs. */
export const sleep: ActionDefinition = {
  name: 'sleep',
  family: 'special',
  description: `Pauses for up to ${longest} s; commands in sessions keep running.`,
  params: [
    {
      name: 'sleep_time',
      type: 'number',
      default: 10,
      min: shortest,
      max: longest,
      clamp: true,
      note: `Seconds. More than ${longest} counts as ${longest}.`,
    },
  ],
  mayChangeFiles: true,
  async run(args, env, context) {
    const asked = args.number('sleep_time') * 1000;
    const allowed = Math.max(0, Math.min(asked, longest * 1000, context.leftMs));
    const untilLimit = untilTrainingLimit(env.task, env.facts);
    const ms = Math.min(allowed, untilLimit);
    const nothing = await held(env, asked);
    if (nothing !== null) return nothing;
    const started = env.clock.monotonic();
    const passed = () => Math.round(env.clock.monotonic() - started);
    let how: 'over' | 'woken';
    try {
      how = await rest(env, context, ms);
    } catch (error) {
      if (!context.signal.aborted) throw error;
      return {
        ...failed('cancelled', `The sleep was interrupted after ${duration(passed())}.`, {
          sleepMs: passed(),
        }),
        closedBy: 'interrupted',
      };
    }
    const sleepMs = passed();
    const data = { sleepMs, askedMs: asked, woken: how === 'woken' };
    if (how === 'woken')
      return done(`Woken by the user after ${duration(sleepMs)} of ${duration(ms)}. ${after}`, data);
    const why =
      ms >= asked
        ? ''
        : ms < allowed
          ? ' (a training run has reached its time limit)'
          : ms < longest * 1000
            ? ' (the working time ran out)'
            : ` (the maximum; you asked for ${duration(asked)})`;
    return done(`Slept ${duration(ms)}${why}. ${after}`, data);
  },
  async look(args, env, context) {
    if (context.lookFor === 'link') return sleep.run(args, env, context);
    const startedAt = env.facts.pending?.startedAt ?? env.clock.now();
    const sleepMs = Math.max(0, env.clock.now() - startedAt);
    const asked = args.number('sleep_time') * 1000;
    return done(
      `The application stopped during this sleep of ${duration(asked)}; ${duration(sleepMs)} have passed since it began. ${after}`,
      { sleepMs, askedMs: asked, woken: false },
    );
  },
};
