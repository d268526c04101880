import type { NoReward } from './step-rewards';

/** What people read of a step that has no reward. */
export const noRewardWords: Readonly<Record<NoReward, string>> = {
  not_scored: 'The run has no final score',
  task_too_easy_or_hard: 'Too many or too few runs of the task succeed',
  no_votes: 'No judge voted on the step',
};

/** How outcome and votes are read, for the READMEs of both formats. */
export const rewardNotes = `## Rewards

- Outcome O: +1 when the final score of the run reaches the task's \`success_at\`, otherwise -1.
- Votes S: each judge's standing verdict on the step is one vote. \`keep\` is +1 and \`mask\` is -1; a verdict with the reason
  \`unparsable\` is 0 and counts among the m votes. Several votes of one model were brought in under several names
  (\`waymark label judge RUN FILE\`).
- R = O + (1/m) ΣS (\`--rewards integrated\`), O alone (\`outcome\`) or (1/m) ΣS alone (\`step\`). λ is 1, as in the published code.`;

/** The trainer takes a list of objects with exactly these. */
export function rewardProblems({ prompt, response, reward }: Readonly<Record<string, unknown>>): string[] {
  return [
    ...(typeof prompt === 'string' && prompt !== '' ? [] : ['prompt is not text']),
    ...(typeof response === 'string' && response !== '' ? [] : ['response is not text']),
    ...(typeof reward === 'number' && Number.isFinite(reward) && reward !== 0
      ? []
      : ['reward is not a number other than 0']),
  ];
}
