import type { RunEvent } from '@shared/log/events';
import { hasEnded } from '@shared/runs/run-status';
import { type Finding, numberOf, rule } from '../rule';
import { inputKinds, mayChangeInputs } from '../workspace-changes';

interface Score {
  /** Null: reached in the run that a branch comes from. */
  step: number | null;
  /** Points before the penalty for the task hint: what the state is worth, whenever the hint was seen. */
  score: number;
}

/** The final evaluation tells for certain; without one, the last score does as long as nothing changed after it. */
export const finishBelowBest = rule({
  id: 'finish-below-best',
  version: 3,
  effect: 'mask',
  hard: false,
  on: true,
  text: 'The agent finished with a worse result than one it had been given a score for before.',
  citation:
    'APOLLO appendix E, essential to keep: "select the best output files when you want to finish your task"; priority 8',
  /** Points by which a final score may lie below the best one. */
  parameters: { tolerance: 0.5 },
  hears: ['branch.began', 'evaluation.ended', 'run.status', ...inputKinds],
  start: (task, parameters) => {
    const tolerance = numberOf(parameters, 'tolerance');
    let best: Score | null = null;
    let last: Score | null = null;
    let changed = false;
    let penalised = false;
    let finished: number | null = null;
    const below = (final: number, how: string): Finding[] => {
      const step = finished;
      finished = null;
      if (step === null || best === null || final >= best.score - tolerance) return [];
      const steps = [best, last].flatMap((each) => each?.step ?? []);
      const reached =
        best.step === null
          ? `${points(best.score)} had been reached before the branch`
          : `step ${best.step} had reached ${points(best.score)}`;
      return [
        {
          step,
          why: `Finished ${how} ${points(final)}; ${reached}${penalised ? ', without the penalty for the task hint' : ''}.`,
          steps: [...new Set(steps)].sort((a, b) => a - b),
        },
      ];
    };
    return (event, facts) => {
      if (event.kind === 'branch.began') {
        const reached = event.body.spent.evaluations.best;
        // The penalty that it may hold is not known: what was worth more is not held against the run.
        if (reached !== null) best = { step: null, score: reached };
        return [];
      }
      if (event.kind === 'evaluation.ended' && event.body.score !== null) {
        const { step, forced, penalty } = event.body;
        const score = event.body.score + penalty;
        penalised ||= penalty > 0;
        if (forced) return below(score, 'with a final score of');
        if (step === null) return [];
        last = { step, score };
        if (best === null || score >= best.score) best = last;
        changed = facts.jobs.length > 0;
        return [];
      }
      if (finishes(event)) {
        finished = event.body.step;
        return [];
      }
      if (event.kind === 'run.status' && hasEnded(event.body.status) && last !== null && !changed)
        return below(last.score, 'on a state scored');
      if (event.kind === 'evaluation.ended' || event.kind === 'run.status') return [];
      changed ||= mayChangeInputs(event, facts, task);
      return [];
    };
  },
});

function finishes(event: RunEvent): event is Extract<RunEvent, { kind: 'action.observed' }> {
  if (event.kind !== 'action.observed' || event.body.closedBy === 'not_run' || !event.body.ok) return false;
  return event.body.name === 'finish';
}

function points(score: number): string {
  return String(Math.round(score * 100) / 100);
}
