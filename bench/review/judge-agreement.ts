import { judgeAgreement } from '@shared/labels/judge-agreement';
import type { StepOpinions } from '@shared/labels/step-truth';
import { type Bench, figure, median, rounds, size, spread } from '../harness';

/** Three judges on every step, and two people on every second one. */
function opinions(steps: number): StepOpinions[] {
  const person = (name: string, mask: boolean) => ({
    author: { uuid: name, name },
    adjudication: false,
    value: mask ? ('mask' as const) : ('train' as const),
  });
  return Array.from({ length: steps }, (_, step) => ({
    task: `task ${step % 20}`,
    outcome: step % 3 === 0 ? -1 : 1,
    humans: step % 2 === 0 ? [person('ada', step % 7 === 0), person('bo', step % 6 === 0)] : [],
    rules: step % 4 === 0 ? [{ rule: `rule ${step % 12}`, effect: 'mask' as const }] : [],
    judges: ['a', 'b', 'c'].map((judge, index) => ({
      judge,
      rubric: 'v1',
      reason: `reason ${step % 9}`,
      confidence: (step % 11) / 10,
      value: (step + index) % 5 === 0 ? ('mask' as const) : ('keep' as const),
    })),
  }));
}

/** Everything that `judge agreement` says of so many votes, once they are read. */
export const judgeAgreementBench: Bench = {
  name: 'judge-agreement',
  about: 'agreement of 100,000 votes with people, with each other and with how runs ended',
  async run(options) {
    const votes = size(options, 100_000, 1_000_000, 3_000);
    const steps = opinions(Math.ceil(votes / 3));
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const start = performance.now();
      judgeAgreement(steps);
      times.push(performance.now() - start);
    }
    return [
      figure(
        'judge-agreement',
        median(times),
        'ms',
        { is: '≤', value: 500 },
        { detail: `${spread(times)} ms, ${votes} votes` },
      ),
    ];
  },
};
