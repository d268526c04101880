import { rule } from '../rule';

export const nullAnswer = rule({
  id: 'null',
  version: 1,
  effect: 'mask',
  hard: true,
  on: true,
  text: 'The answer holds no valid call.',
  citation: 'APOLLO appendix E, priority 3: "Remove \'null\' actions"',
  parameters: {},
  hears: ['model.answered'],
  start: () => (event) => {
    if (event.kind !== 'model.answered' || event.body.kind !== 'null') return [];
    const problem = event.body.invalid.find((each) => each !== null);
    const why = problem ? `No valid call in the answer: ${problem}` : 'No call in the answer.';
    return [{ step: event.body.step, why, steps: [] }];
  },
});
