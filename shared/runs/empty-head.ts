import type { StepHead } from '../contract/views';

/** The head of a step of which the log of its run holds nothing, as it is before the model has answered. */
export function emptyHead(run: string, step: number): StepHead {
  return {
    run,
    step,
    id: '',
    segment: 1,
    at: 0,
    kind: 'act',
    tool: '',
    title: '',
    observation: '',
    done: false,
    ok: true,
    errorCode: null,
    exitCode: null,
    bytes: 0,
    score: null,
    imitatesHuman: false,
    guards: [],
    label: { value: null, source: null, reason: null, disagreement: false },
    rules: [],
    by: [],
    decided: [],
    marks: [],
    judge: null,
    computer: '',
    withheld: false,
    flagged: false,
    comments: 0,
    inheritedFrom: null,
    after: [],
  };
}
