import type { RunPlan } from '../run-plan';
import type { Target } from '../targets/target';
import type { NoReward } from './step-rewards';
import { type VoteKind, voteKind } from './votes';

/** What people read of a step that has no reward. */
export const noRewardWords: Readonly<Record<NoReward, string>> = {
  not_scored: 'The run has no final score',
  task_too_easy_or_hard: 'Too many or too few runs of the task succeed',
  no_votes: 'No judge voted on the step',
};

/** How the trainer reads both files, and where it looks for them (Open-AgentRL at 1fe5dbd2). */
export function loadText(target: 'policy' | 'reward'): string {
  const file = { policy: 'optimization_data', reward: 'reward_optimization_data' }[target];
  return `Copy the file to \`temp_data/<${file}>.json\` of an Open-AgentRL project and train with

\`\`\`sh
accelerate launch train/alfworld_train.py config=configs/alfworld_rl.yaml training.target=${target}
\`\`\`

- It is one JSON array, as their trainer reads it with \`json.load\`. \`prompt\`, \`response\` and \`reward\` are what it reads; the
  other fields say where a row is from.`;
}

/** How outcome and votes are read, for the READMEs of both formats. */
export const rewardNotes = (runs: readonly RunPlan[]) => `## Rewards

- Outcome O: +1 when the final score of the run reaches the task's \`success_at\`, otherwise -1.
${voteNotes[voteKind(runs)]}
- R = O + (1/m) ΣS (\`--rewards integrated\`), O alone (\`outcome\`) or (1/m) ΣS alone (\`step\`). λ is 1, as in the published code.`;

const voteNotes: Readonly<Record<VoteKind, string>> = {
  rewards: `- Votes S: what judges voted on the step itself (\`waymark judge run --mode reward\`), +1 or -1; a vote that could not be
  understood is 0 and counts among the m votes. Votes of several judges count together. Verdicts of judges on masks count for
  nothing here.`,
  verdicts: `- Votes S: no step has votes of its own, so each judge's standing verdict on its mask is one vote. \`keep\` is +1 and \`mask\`
  is -1; a verdict with the reason \`unparsable\` is 0 and counts among the m votes. Several votes of one model were brought in
  under several names (\`waymark label judge RUN FILE\`).`,
};

/** The trainer takes a list of objects with exactly these. */
function rewardProblems({ prompt, response, reward }: Readonly<Record<string, unknown>>): string[] {
  return [
    ...(typeof prompt === 'string' && prompt !== '' ? [] : ['prompt is not text']),
    ...(typeof response === 'string' && response !== '' ? [] : ['response is not text']),
    ...(typeof reward === 'number' && Number.isFinite(reward) && reward !== 0
      ? []
      : ['reward is not a number other than 0']),
  ];
}

/** What the policy's rows and the reward model's have in common: one trainer reads both. */
export const rlanythingShape = {
  encodings: ['array', 'jsonl'],
  compressions: ['none'],
  kinds: ['react'],
  untrained: 'keep',
  argumentsForm: 'string',
  repeats: 'never',
  problems: rewardProblems,
} as const satisfies Partial<Target>;
