import type { NewEvent } from '@shared/events';
import {
  type ActionDefinition,
  type ActionEnvironment,
  type ActionResult,
  counted,
  done,
  failed,
} from '../action';
import { boundText } from '../bounded-text';

/** Most characters of an evaluator's metrics and message in the observation. */
const metricsLimit = 4000;

const points = (score: number) => String(Math.round(score * 100) / 100);

function triesLeft(env: ActionEnvironment, used: number): string {
  const left = env.task.maxEvals - used;
  if (left > 0) return `${counted(left, 'try', 'tries')} left.`;
  return env.task.onEvalsSpent === 'finish'
    ? 'That was the last try, so the run ends here.'
    : 'That was the last try. You may go on working; calling eval once more ends the run with a final evaluation.';
}

/** Scores the workspace with the task's evaluator. */
export const evaluateWorkspace: ActionDefinition = {
  name: 'eval',
  family: 'special',
  description: (task) =>
    `Has the task's evaluator score what is in the workspace now. You have ${counted(task.maxEvals, 'try', 'tries')}; an evaluator that fails costs none.`,
  params: [],
  mayChangeFiles: true,
  async run(_args, env, context): Promise<ActionResult> {
    const used = env.facts.evalsUsed;
    if (used >= env.task.maxEvals) {
      return {
        ...done('All evaluation tries were used before, so this ends the run with a final evaluation.', {
          tries: used,
        }),
        ends: 'evals_spent',
      };
    }
    const result = await env.evaluate({
      step: context.step,
      attempt: used + 1,
      hintSeen: env.facts.hintSeen,
      signal: context.signal,
    });
    const event: NewEvent = {
      kind: 'evaluation.ended',
      body: { ...result, step: context.step, forced: false },
    };
    const tampered =
      result.protectedChanged.length > 0
        ? `\nProtected files were changed: ${result.protectedChanged.slice(0, 20).join(', ')}. Restore them.`
        : '';
    if (result.outcome === 'unavailable' || result.score === null) {
      return failed(
        'evaluation_unavailable',
        `The evaluation could not be made, and no try was spent: ${result.message || 'no reason was given'}${tampered}`,
        { tries: used, triesLeft: env.task.maxEvals - used },
        [event],
      );
    }
    const now = result.attempt ?? used;
    const penalty =
      result.penalty > 0 ? ` (${points(result.penalty)} points taken off for the task hint)` : '';
    const metrics =
      Object.keys(result.metrics).length > 0 ? `\nMetrics: ${JSON.stringify(result.metrics)}` : '';
    const message = result.message === '' ? '' : `\n${result.message}`;
    return {
      ...done(
        `Score: ${points(result.score)} of 100${penalty}. ${triesLeft(env, now)}${boundText(message + metrics, metricsLimit)}${tampered}`,
        {
          score: result.score,
          raw: result.raw,
          tries: now,
          triesLeft: Math.max(0, env.task.maxEvals - now),
          protectedChanged: result.protectedChanged,
        },
        [event],
      ),
      ...(now >= env.task.maxEvals && env.task.onEvalsSpent === 'finish'
        ? { ends: 'evals_spent' as const }
        : {}),
    };
  },
};
