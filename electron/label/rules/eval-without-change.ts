import { rule } from '../rule';
import { inputKinds, mayChangeInputs } from '../workspace-changes';

/** What a program may have written counts as a change: the agent gets the benefit of the doubt. */
export const evalWithoutChange = rule({
  id: 'eval-without-change',
  version: 1,
  effect: 'mask',
  hard: false,
  on: true,
  text: 'An evaluation was asked for although nothing that it reads has changed since the last one.',
  citation:
    'APOLLO appendix E, priority 8: "call eval just after the last eval without any change on the output file"',
  parameters: {},
  hears: ['evaluation.ended', ...inputKinds],
  start: (task) => {
    let last: number | null = null;
    let changed = false;
    return (event, facts) => {
      if (event.kind === 'evaluation.ended') {
        const { step, outcome, forced } = event.body;
        if (forced || step === null || outcome !== 'scored') return [];
        const before = last;
        last = step;
        const same = before !== null && !changed && facts.jobs.length === 0;
        changed = facts.jobs.length > 0;
        return same
          ? [{ step, why: `Nothing that is evaluated has changed since step ${before}.`, steps: [before] }]
          : [];
      }
      changed ||=
        mayChangeInputs(event, facts, task) || facts.ended.some(({ command }) => command.background);
      return [];
    };
  },
});
