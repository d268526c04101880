import { pairMaker, pairNotes, pairProblems, pairShape } from '../learning/pair-record';
import { dropLines } from './drop-lines';
import type { Target } from './target';

/**
 * Preference pairs for TRL's DPOTrainer: `prompt`, `chosen`, `rejected` as lists of messages. The loss covers the whole of both
 * answers, tool messages included, so each is one assistant message. `tools` is JSON text: TRL parses it, and a list of schemas
 * would be filled with nulls where they differ.
 */
export const dpo: Target = {
  ...pairShape,
  format: 'dpo',
  title: 'TRL, preference pairs for DPO',
  begin: (context) => pairMaker(context),
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
  problems: pairProblems,
};
