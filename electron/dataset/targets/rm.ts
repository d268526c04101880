import { pairMaker, pairNotes, pairProblems, pairShape } from '../learning/pair-record';
import type { PreferencePair } from '../learning/preference-pairs';
import { dropLines } from './drop-lines';
import type { Target } from './target';

/** Points that a margin of 1 is worth. */
const MARGIN_POINTS = 100;

/**
 * Pairs for TRL's RewardTrainer with `margin`, which its loss subtracts from the difference of the two rewards. TRL asks the first
 * row of a batch whether there are margins, so every row has one.
 */
export const rm: Target = {
  ...pairShape,
  format: 'rm',
  title: 'TRL, pairs for a reward model',
  begin: (context) => pairMaker(context, (pair) => ({ margin: marginOf(pair) })),
  readme: (facts) => `\`\`\`python
from datasets import load_dataset
from trl import RewardConfig, RewardTrainer

pairs = load_dataset("json", data_files="${facts.files.find(({ split }) => split === 'train')?.path ?? 'train.jsonl'}", split="train")
trainer = RewardTrainer(model=model, args=RewardConfig(max_length=32768), train_dataset=pairs, processing_class=tokenizer)
\`\`\`

- **Pairs over \`max_length\`** (1,024 tokens by default) are dropped without a word. Choose one that fits.
- \`margin\`: the gap between the scores of two branches, ${MARGIN_POINTS} points = 1. A correction has margin 0: only its order
  is known.
- \`arguments\` of a call is ${facts.argumentsForm === 'string' ? "the model's own JSON text" : 'an object, which needs `datasets` 4.7 or newer'}.
${pairNotes}
${dropLines(facts.dropped)}`,
  problems(value) {
    const { margin } = value;
    const fits = typeof margin === 'number' && Number.isFinite(margin) && margin >= 0;
    return [...pairProblems(value), ...(fits ? [] : ['margin is not a number from 0 up'])];
  },
};

function marginOf({ gap }: PreferencePair): number {
  return gap === null ? 0 : gap / MARGIN_POINTS;
}
