import type { Tool } from '@shared/log/event-parts';
import { judgementRewards } from '../learning/advantages';
import { loadText, noRewardWords, rewardNotes, rlanythingShape } from '../learning/rlanything-rows';
import { stepRewards } from '../learning/step-rewards';
import { voteKind, writtenVotes } from '../learning/votes';
import { countingMaker, DropCounts } from './drop-counts';
import { dropLines } from './drop-lines';
import { type OwnAnswer, ownAnswers, withoutMask } from './own-answers';
import {
  chatMlPrompt,
  clean,
  type PlainMessage,
  plainMessages,
  transcript,
  withToolsInSystem,
} from './plain-message';
import type { Target } from './target';

const words = {
  ...noRewardWords,
  no_votes: 'A step on which no judge voted',
  alike: 'A vote that is worth as much as all others on the step, or is the only one',
  no_text: 'A vote that could not be parsed and has no text',
};

/**
 * RLAnything's reward-model rows: one for each vote, rewarded by R·S, −2 where it could not be parsed, standardised within the
 * votes of the step. The judge's own prompt is not in the log, so `prompt` asks for the same judgement in our words.
 */
export const rlanythingReward: Target = {
  ...rlanythingShape,
  format: 'rlanything-reward',
  title: 'RLAnything, reward-model rows',
  undecided: 'ignored',
  // Which kind of votes counts all runs decide together.
  recordsOf: ({ steps }) =>
    steps.reduce((sum, { judges, rewards }) => sum + (rewards.length > 0 ? rewards : judges).length, 0),
  begin({ plan }) {
    const table = stepRewards(plan.runs, plan.options.rewards);
    const drops = new DropCounts(words);
    const kind = voteKind(plan.runs);
    return countingMaker(drops, function* (row) {
      const { run, task } = row.plan.run.created;
      // Once for all steps: a row of n steps makes n prompts.
      const plain = plainMessages(row.messages.map(withoutMask));
      for (const answer of ownAnswers(row)) {
        const { step } = answer;
        const votes = writtenVotes(step, kind);
        const found = table.get(run)?.get(step.step) ?? 'not_scored';
        if (votes.length === 0) drops.add('no_votes');
        else if (typeof found === 'string') drops.add(found, votes.length);
        else if (!found.judged) drops.add('task_too_easy_or_hard', votes.length);
        else {
          const worth = judgementRewards(found.raw, found.votes);
          let prompt: string | null = null;
          for (const [index, { judge, response }] of votes.entries()) {
            const reward = worth[index] ?? 0;
            if (reward === 0) drops.add('alike');
            else if (response === '') drops.add('no_text');
            else {
              prompt ??= judgePrompt(plain, answer, row.tools);
              const from = { run, step: step.step, id: step.id, task: task.id, judge };
              const value = clean({ prompt, response, reward, ...from });
              yield { value, trained: 1, steps: [step.step] };
            }
          }
        }
      }
    });
  },
  readme: (facts) => `${loadText('reward')}
- **Prompts over \`training.reward.max_prompt_len\` are dropped** by the trainer.
- \`prompt\` holds what the step was asked with, the step, and what it led to. Its instructions are Waymark's: no row
  holds the rubric that the judge was given. \`response\` is what the judge wrote, word for word; of a verdict on a mask its reason,
  then the verdict as \`\\boxed{1}\` or \`\\boxed{-1}\`.

${rewardNotes(facts.plan.runs)}
- This dataset: **${facts.plan.options.rewards}**.
- The raw reward of a vote is R·S, and -2 where it could not be parsed; \`reward\` is that, standardised within the votes on the
  step. Where all are worth the same, or there is only one vote, there is nothing to learn and no row.
- Only tasks of which 0.2 to 0.8 of the scored runs succeed are taken.
${dropLines(facts.dropped)}`,
};

/** `plain`: the messages of the row. */
function judgePrompt(
  plain: readonly PlainMessage[],
  { at, after }: OwnAnswer,
  tools: readonly Tool[],
): string {
  const led = after.length === 0 ? '(nothing)' : transcript(plain.slice(at + 1, at + 1 + after.length));
  const content = [
    'Judge one step of an agent that works on a task. Consider whether the step is right in itself, and how it influences the outcome of the task.',
    `# What the agent was shown\n\n${transcript(withToolsInSystem(plain.slice(0, at), tools))}`,
    `# The step\n\n${plain[at]?.content ?? ''}`,
    `# What it led to\n\n${led}`,
    'Explain your judgement. End with \\boxed{1} when the step helps, and with \\boxed{-1} when it does not.',
  ].join('\n\n');
  return chatMlPrompt([{ role: 'user', content }]);
}
