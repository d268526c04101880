import { loadText, noRewardWords, rewardNotes, rlanythingShape } from '../learning/rlanything-rows';
import { stepRewards } from '../learning/step-rewards';
import { countingMaker, DropCounts } from './drop-counts';
import { dropLines } from './drop-lines';
import { type OwnAnswer, ownAnswers, withoutMask } from './own-answers';
import { chatMlPrompt, plainMessages, withToolsInSystem } from './plain-message';
import type { Target } from './target';

const words = {
  masked: 'The step is masked by a rule or a person',
  ...noRewardWords,
  zero: 'The reward is 0: the runs do not differ at this step',
};

/**
 * RLAnything's policy rows (Open-AgentRL at 1fe5dbd2): one array of `{prompt, response, reward}`, the reward standardised over the
 * runs of a task at the same step, rows with reward 0 left out. Their trainer tokenises both texts as they are.
 */
export const rlanythingPolicy: Target = {
  ...rlanythingShape,
  format: 'rlanything-policy',
  title: 'RLAnything, policy rows',
  recordsOf: ({ steps }) => steps.length,
  begin({ plan }) {
    const table = stepRewards(plan.runs, plan.options.rewards);
    const drops = new DropCounts(words);
    return countingMaker(drops, function* (row) {
      const { run, task } = row.plan.run.created;
      // Once for all steps: a row of n steps makes n prompts.
      const plain = plainMessages(row.messages.map(withoutMask));
      for (const answer of ownAnswers(row)) {
        const { step, at } = answer;
        const found = table.get(run)?.get(step.step) ?? 'not_scored';
        if (isMasked(answer)) drops.add('masked');
        else if (typeof found === 'string') drops.add(found);
        else if (typeof found.advantage === 'string') drops.add(found.advantage);
        else if (found.advantage === 0) drops.add('zero');
        else {
          const value = {
            prompt: chatMlPrompt(withToolsInSystem(plain.slice(0, at), row.tools)),
            response: plain[at]?.content ?? '',
            reward: found.advantage,
            run,
            step: step.step,
            id: step.id,
            task: task.id,
            raw_reward: found.raw,
          };
          yield { value, trained: 1, steps: [step.step] };
        }
      }
    });
  },
  readme: (facts) => `${loadText('policy')}
- **Prompts over \`training.policy.max_prompt_len\` are dropped** by the trainer, and responses are cut at
  \`max_gen_length\`. Prompts hold everything the step was asked with, so n steps take n²/2 of their text.
- Prompts are ChatML with the tools in the system prompt and calls between \`<tool_call>\` tags, as Qwen models use them. The
  trainer adds no end-of-turn token, and neither do the rows.

${rewardNotes(facts.plan.runs)}
- This dataset: **${facts.plan.options.rewards}**. \`raw_reward\` is R.
- \`reward\` is R, standardised over the runs of the same version of the task at the same step (population deviation; without any
  deviation 0; a step that only one run reaches keeps R). Summary turns are no steps. A branch counts from the step after
  which it left the other run.
- Only tasks of which 1/8 to 7/8 of the scored runs succeed are taken. Rows with reward 0 are left out.
- A step that a rule or a person masks is left out. A step that only judges mask stays: their votes are its reward.
${dropLines(facts.dropped)}`,
};

/** Judges' votes are the reward, so what they alone mask is trained, with less or against it. */
function isMasked({ mask, step }: OwnAnswer): boolean {
  return mask === 0 && step.label.source !== 'judge';
}
