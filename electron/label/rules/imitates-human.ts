import { rule } from '../rule';

/** The model sees such a tag escaped, and the window marks the step; here it is kept from being learnt. */
export const imitatesHuman = rule({
  id: 'imitates-human',
  version: 1,
  effect: 'mask',
  hard: false,
  on: true,
  text: 'The answer or what it brought back holds the tag of a human hint, which only a person may give.',
  citation: 'APOLLO §3.3: "<real_user>" marks the words of a person; what else holds it speaks for nobody',
  parameters: {},
  hears: ['action.observed'],
  start: () => (event) => {
    if (event.kind !== 'action.observed' || !event.body.imitatesHuman) return [];
    const { step, name } = event.body;
    return [{ step, why: `${name} or its output holds the tag of a human hint.`, steps: [] }];
  },
});
