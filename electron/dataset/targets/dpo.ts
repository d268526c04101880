import { pairNotes, pairProblems, pairRecord, stepsOf } from '../learning/pair-record';
import { PairFinder } from '../learning/preference-pairs';
import { messageProblems } from './chat-record';
import { dropLines } from './drop-lines';
import { clean } from './plain-message';
import type { Target } from './target';

/**
 * Preference pairs for TRL's DPOTrainer: `prompt`, `chosen`, `rejected` as lists of messages. The loss covers the whole of both
 * answers, tool messages included, so each is one assistant message. `tools` is JSON text: TRL parses it, and a list of schemas
 * would be filled with nulls where they differ.
 */
export const dpo: Target = {
  format: 'dpo',
  title: 'TRL, preference pairs for DPO',
  encodings: ['jsonl'],
  compressions: ['none', 'gzip', 'zstd'],
  kinds: ['react', 'summary'],
  untrained: 'keep',
  argumentsForm: 'template',
  repeats: 'never',
  recordsOf: ({ steps }) => steps.reduce((sum, { corrections }) => sum + corrections.length, 0),
  begin({ plan, argumentsForm }) {
    const finder = new PairFinder(plan, argumentsForm);
    return {
      *records(row) {
        for (const pair of finder.pairsOf(row)) {
          yield { value: clean(pairRecord(pair, argumentsForm)), trained: 1, steps: stepsOf(pair) };
        }
      },
      dropped: () => finder.dropped(),
      save: () => finder.save(),
      restore: (saved) => finder.restore(saved),
    };
  },
  readme: (facts) => `\`\`\`python
from datasets import load_dataset
from trl import DPOConfig, DPOTrainer

pairs = load_dataset("json", data_files="${facts.files.find(({ split }) => split === 'train')?.path ?? 'train.jsonl'}", split="train")
trainer = DPOTrainer(model=model, args=DPOConfig(max_length=None), train_dataset=pairs, processing_class=tokenizer)
\`\`\`

- **\`max_length\`** is 1,024 tokens by default; agents' prompts are longer, and what is cut is the prompt.
- \`arguments\` of a call is ${facts.argumentsForm === 'string' ? "the model's own JSON text" : 'an object, which needs `datasets` 4.7 or newer: older ones fill the keys of other rows with null'}.
${pairNotes}
${dropLines(facts.dropped)}`,
  problems(value) {
    return [...messageProblems(value.prompt, 'prompt'), ...pairProblems(value)];
  },
};
