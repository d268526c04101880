import type { ActionContext } from '../../agent/ports';
import { type ActionDefinition, type ActionEnvironment, done, duration, failed } from '../action';

/** The reference's bounds, seconds. */
const shortest = 1e-6;
const longest = 1800;

const after = 'Look at what changed (get_session_output) before you do anything else.';

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

/** Waits while something runs. */
export const sleep: ActionDefinition = {
  name: 'sleep',
  family: 'special',
  description: `Waits while something runs. At most ${longest} s at a time; what runs in sessions goes on.`,
  params: [
    {
      name: 'sleep_time',
      type: 'number',
      default: 10,
      min: shortest,
      max: longest,
      clamp: true,
      description: `Seconds to wait; more than ${longest} counts as ${longest}.`,
    },
  ],
  mayChangeFiles: true,
  async run(args, env, context) {
    const asked = args.number('sleep_time') * 1000;
    const ms = Math.max(0, Math.min(asked, longest * 1000, context.leftMs));
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
        : ms < longest * 1000
          ? ' (no more working time is left)'
          : ` (the longest at a time; you asked for ${duration(asked)})`;
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
