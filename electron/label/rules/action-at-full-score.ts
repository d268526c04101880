import { copiesOf } from '../copies';
import { numberOf, type Rule } from '../rule';

/** Copies are left alone: keeping and putting back the best output is what should happen now. */
export const actionAtFullScore: Rule = {
  id: 'action-at-full-score',
  version: 1,
  effect: 'mask',
  hard: false,
  on: true,
  text: 'Something is changed, trained or evaluated although the full score was reached.',
  citation:
    'APOLLO appendix E, priority 4: "if current score is equal to the max score, most of the action should be set to false"',
  parameters: { full_score: 100 },
  start: (_task, parameters) => {
    const full = numberOf(parameters, 'full_score');
    let reached: number | null = null;
    return (event, { command, edits, writes }) => {
      if (event.kind === 'evaluation.ended') {
        const { score, step, forced } = event.body;
        if (score === null || step === null || forced) return [];
        const before = reached;
        if (score >= full) reached ??= step;
        return before === null || before === step
          ? []
          : [{ step, why: `Evaluated once more; step ${before} had reached ${full}.`, steps: [before] }];
      }
      if (reached === null || event.kind !== 'action.observed' || event.body.step <= reached) return [];
      const { step, error } = event.body;
      if (error !== null) return [];
      const works =
        command === null
          ? edits.length > 0 || writes.length > 0
          : !command.looksOnly && copiesOf(command) === null;
      return works
        ? [
            {
              step,
              why: `Step ${reached} had reached ${full}; there was nothing left to gain.`,
              steps: [reached],
            },
          ]
        : [];
    };
  },
};
