import type { Detector } from './detector';

/** A tenth of the working time must be left: near its end there is nothing to be gained. */
const LEFT = 0.1;
export const isTimeLeft = (leftMs: number, ofMs: number) => leftMs >= LEFT * ofMs;

export const earlyFinish: Detector<Record<string, never>> = {
  id: 'early_finish',
  version: 2,
  text: 'The agent finished below the full score although evaluations and at least a tenth of its working time were left.',
  citation: 'APOLLO §4.3, a task concluded prematurely after its first evaluation',
  parameters: { left: LEFT },
  start: () => ({}),
  look(_state, event, { scores, rules, workingMs, maxWorkingMs }) {
    if (event.kind !== 'action.observed' || event.body.data.ends !== 'finish') return [];
    const tries = scores.maxTries - scores.tries;
    const leftMs = Math.max(0, maxWorkingMs - workingMs);
    if (tries <= 0 || (scores.best ?? 0) >= rules.maxScore || !isTimeLeft(leftMs, maxWorkingMs)) return [];
    const { step } = event.body;
    const facts = { best: scores.best, tries, leftMs: Math.round(leftMs) };
    return [{ key: `${step}`, step, steps: [step], facts, open: false }];
  },
};
