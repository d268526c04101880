import { rule } from '../rule';

/** Whatever the summary may have left out: what was refused was asked again and stands in no step of its own. */
export const keepSummary = rule({
  id: 'keep-summary',
  version: 1,
  effect: 'keep',
  hard: false,
  on: true,
  text: 'A summary of the context that was accepted.',
  citation: 'APOLLO §3.4: "the summarization trajectory will only train the last action (summary)"',
  parameters: {},
  hears: ['summary.ended'],
  start: () => (event) => [
    { step: event.body.step, why: 'The summary was accepted, and the run went on from it.', steps: [] },
  ],
});
