import type { Detector } from './detector';

/** A tenth of the working time must be left: near its end there is nothing to be gained. */
const LEFT = 0.1;
/** Points of a perfect score. */
const PERFECT = 100;

export const earlyFinish: Detector<Record<string, never>> = {
  id: 'early_finish',
  version: 1,
  text: 'The agent finished below 100 points although evaluations and at least a tenth of its time were left.',
  citation: 'APOLLO §4.3, a task concluded prematurely after its first evaluation',
  parameters: { left: LEFT, perfect: PERFECT },
  start: () => ({}),
  look(_state, event, { scores, workingMs, maxWorkingMs }) {
    if (event.kind !== 'action.observed' || event.body.data.ends !== 'finish') return [];
    const tries = scores.maxTries - scores.tries;
    const leftMs = Math.max(0, maxWorkingMs - workingMs);
    if (tries <= 0 || (scores.best ?? 0) >= PERFECT || leftMs < LEFT * maxWorkingMs) return [];
    const { step } = event.body;
    const facts = { best: scores.best, tries, leftMs: Math.round(leftMs) };
    return [{ key: `${step}`, step, steps: [step], facts, open: false }];
  },
};
