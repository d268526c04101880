import type { EventOf } from '@shared/log/events';
import { copiesOf } from '../copies';
import { type EventFacts, type Finding, numberOf, rule } from '../rule';

/** Changes remembered since a high score, at most. */
const CHANGES = 200;

/** Copies are left alone: keeping and putting back the best output is what should happen now. */
export const actionAtFullScore = rule({
  id: 'action-at-full-score',
  version: 2,
  effect: 'mask',
  hard: false,
  on: true,
  text: 'Something is changed, trained or evaluated although the full score was reached, or work after a high score made it lower.',
  citation:
    'APOLLO appendix E, priority 4: "Remove actions that decrease performance when already at high scores"; "if current score is equal to the max score, most of the action should be set to false"',
  parameters: {
    full_score: 100,
    /** Points from which work that makes the score lower is masked; 100 = nothing but the full score. */
    high_score: 100,
    /** Points by which a score may lie below the best one. */
    tolerance: 0.5,
  },
  hears: ['evaluation.ended', 'action.observed'],
  start: (_task, parameters) => {
    const full = numberOf(parameters, 'full_score');
    const high = numberOf(parameters, 'high_score');
    const tolerance = numberOf(parameters, 'tolerance');
    let reached: number | null = null;
    /** The best score from which on it counts as high, and what was done since. */
    let best: { step: number; score: number; since: number[] } | null = null;
    return (event, facts) => {
      if (event.kind === 'evaluation.ended') return evaluated(event.body);
      if (event.body.error !== null || !works(event, facts)) return [];
      const { step } = event.body;
      if (reached !== null && step > reached) {
        const why = `Step ${reached} had reached ${full}; there was nothing left to gain.`;
        return [{ step, why, steps: [reached] }];
      }
      if (best !== null && step > best.step && best.since.at(-1) !== step)
        best.since = [...best.since, step].slice(-CHANGES);
      return [];
    };

    function evaluated({ score, step, forced }: EventOf<'evaluation.ended'>['body']): Finding[] {
      if (score === null || step === null || forced) return [];
      const before = reached;
      if (score >= full) reached ??= step;
      if (before !== null && before !== step)
        return [{ step, why: `Evaluated once more; step ${before} had reached ${full}.`, steps: [before] }];
      return lowered(score, step);
    }

    function lowered(score: number, step: number): Finding[] {
      const was = best;
      if (was === null || score >= was.score) {
        best = score >= high && score < full ? { step, score, since: [] } : null;
        return [];
      }
      const done = was.since;
      was.since = [];
      if (score >= was.score - tolerance) return [];
      const why = `Made ${points(score)} of the ${points(was.score)} points of step ${was.step}, as step ${step} found.`;
      return done.map((each) => ({ step: each, why, steps: [was.step, step] }));
    }
  },
});

/** Whether an action changes, trains or computes something. */
function works(event: EventOf<'action.observed'>, { command, edits, writes }: EventFacts): boolean {
  if (event.body.closedBy === 'not_run') return false;
  if (command === null) return edits.length > 0 || writes.length > 0;
  return !command.looksOnly && copiesOf(command) === null;
}

const points = (score: number) => String(Math.round(score * 100) / 100);
