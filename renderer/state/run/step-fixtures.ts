import type { StepHead } from '@shared/contract/views';

/** A decided-by-nobody, finished step for tests; what a test is about is given. */
export function stepHead(step: number, change: Partial<StepHead> = {}): StepHead {
  return {
    run: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    step,
    id: `id-${step}`,
    segment: 1,
    at: 0,
    kind: 'act',
    tool: 'run_command',
    title: 'ls',
    observation: 'ok',
    done: true,
    ok: true,
    errorCode: null,
    exitCode: 0,
    bytes: 2,
    score: null,
    imitatesHuman: false,
    guards: [],
    label: { value: null, source: null, reason: null, disagreement: false },
    rules: [],
    by: [],
    flagged: false,
    comments: 0,
    decided: [],
    marks: [],
    judge: null,
    computer: 'local',
    withheld: false,
    inheritedFrom: null,
    after: [],
    ...change,
  };
}
