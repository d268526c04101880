import { boundText } from '@shared/base/bounded-text';
import type { NewEvent } from '@shared/log/events';
import { type ActionDefinition, type ActionEnvironment, type ActionResult, done, failed } from '../action';

/** Most characters of an evaluator's metrics and message in the observation. */
const metricsLimit = 4000;

const points = (score: number) => String(Math.round(score * 100) / 100);

/** What the task cannot give more than, where that is not everything. */
const most = (score: number) => (score < 100 ? `; the maximum in this task is ${points(score)}` : '');

/** How many are left is said with each request: people may change the limit before the next one. */
function lastOne(env: ActionEnvironment, used: number): string {
  return used >= env.task.maxEvals && env.task.onEvalsSpent === 'finish'
    ? ' That was the last evaluation, so the run ends here.'
    : '';
}

/** The metrics that the evaluator's own words do not name already, so that nothing is said twice. */
function unsaid(metrics: Record<string, unknown>, message: string): string {
  const numbers = (message.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number);
  const left = Object.entries(metrics).filter(
    ([, value]) => !(typeof value === 'number' && numbers.some((said) => isRounded(value, said))),
  );
  return left.length === 0 ? '' : `\nMetrics: ${JSON.stringify(Object.fromEntries(left))}`;
}

/** Whether `said` is `value`, perhaps as a percentage, to the digits that were printed. */
const isRounded = (value: number, said: number) => {
  const digits = String(said).split('.')[1]?.length ?? 0;
  return [value, value * 100].some((each) => Number(each.toFixed(digits)) === said);
};

/** Scores the workspace with the task's evaluator. */
export const evaluateWorkspace: ActionDefinition = {
  name: 'eval',
  family: 'special',
  description: (task) =>
    `Scores the workspace. An evaluation that cannot run does not count. ${
      task.onEvalsSpent === 'finish'
        ? 'The last one ends the run.'
        : 'Once none is left, another eval ends the run.'
    }`,
  params: [],
  mayChangeFiles: true,
  async run(_args, env, context): Promise<ActionResult> {
    const used = env.facts.evalsUsed;
    if (used >= env.task.maxEvals) {
      return {
        ...done('No evaluations were left, so the run ends now, with a final one.', {
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
        `The evaluation could not be run and was not counted: ${result.message || 'no reason was given'}${tampered}`,
        { tries: used, triesLeft: env.task.maxEvals - used },
        [event],
      );
    }
    const now = result.attempt ?? used;
    const penalty =
      result.penalty > 0 ? ` (${points(result.penalty)} points taken off for the task hint)` : '';
    const metrics = unsaid(result.metrics, result.message);
    const message = result.message === '' ? '' : `\n${result.message}`;
    return {
      ...done(
        `Score: ${points(result.score)} of 100${penalty}${most(env.task.maxScore)}.${lastOne(env, now)}${boundText(message + metrics, 'the message of the evaluator is too long', metricsLimit)}${tampered}`,
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
