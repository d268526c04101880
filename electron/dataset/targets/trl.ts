import type { DatasetRow } from '../rows';
import {
  checked,
  countTrained,
  flaggedMessages,
  recordMaker,
  refuseImages,
  refuseUntrained,
  rowMessages,
  sourceText,
  toolsColumn,
} from './chat-rows';
import { columnProblems, type Json, messageProblems, trainOnAll, unknownKeys } from './problem-checks';
import {
  argumentsLine,
  codeBlock,
  droppedText,
  firstFile,
  metadataLine,
  reasoningLine,
  variantsText,
} from './readme-parts';
import type { ExtraFile, Target, TargetFacts, TargetRecord } from './target';
import { trainingTemplate } from './training-template';

const templateFile = 'chat_template.jinja';

/**
 * TRL's conversational rows with `train` on every message, for a chat template that opens `{% generation %}` only where it is true:
 * TRL itself masks all answers or none (`assistant_only_loss`), but passes unknown fields of messages on to the template.
 */
export const trlTarget: Target = {
  format: 'trl',
  title: 'TRL',
  encodings: ['jsonl'],
  compressions: ['none', 'gzip', 'zstd'],
  kinds: ['react', 'summary'],
  argumentsForm: 'template',
  repeats: 'rows',
  begin: ({ argumentsForm }) => recordMaker('row', (row) => [recordOf(row, argumentsForm)]),
  extras: (): ExtraFile[] => [{ path: templateFile, text: trainingTemplate }],
  readme,
  problems: (value) => [...problemsOf(value)],
};

function recordOf(row: DatasetRow, form: 'string' | 'object'): TargetRecord {
  const messages = rowMessages(row);
  refuseUntrained(messages);
  refuseImages(messages, 'TRL has no mask by message for models that take them');
  const value = {
    messages: flaggedMessages(messages, trainOnAll, form),
    ...toolsColumn(row),
    metadata: sourceText(row),
  };
  return checked({ value, trained: countTrained(messages) }, trlTarget.problems);
}

function* problemsOf(value: Json): Generator<string> {
  yield* unknownKeys(value, ['messages', 'tools', 'metadata'], '');
  yield* messageProblems(value.messages, {
    ...trainOnAll,
    arguments: 'either',
    images: false,
    endsWithAnswer: false,
    answered: false,
  });
  yield* columnProblems(value);
}

function readme(facts: TargetFacts): string {
  const train = firstFile(facts.files) ?? 'train.jsonl';
  return `${codeBlock(
    'python',
    `from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

trainer = SFTTrainer(
    model="Qwen/Qwen3-8B",
    args=SFTConfig(
        output_dir="out",
        chat_template_path="${templateFile}",
        assistant_only_loss=True,
        max_length=131072,
    ),
    train_dataset=load_dataset("json", data_files="${train}", split="train"),
)
trainer.train()`,
  )}

- **Both settings are needed.** Without \`assistant_only_loss\` TRL trains on everything, tool results and system prompt included;
  without \`${templateFile}\` it takes a template of its own that trains every answer, masked or not.
- \`train\` is true or false on **every** message. \`${templateFile}\` is a training template for models that use ChatML with
  \`<tool_call>\` blocks (Qwen 2.5, Qwen3 and relatives). It keeps the reasoning of every answer that has some and adds no empty
  \`<think>\` block.
- \`max_length\` is 1,024 unless you set it, and TRL silently drops rows of which no trained token is left. Set it to your longest row.
${argumentsLine(facts)}
- TRL saves the training template with the model. Before you serve it, put the model's own template back into the saved folder.
- TRL has no mask by message for multimodal models; rows with images are left out.
${reasoningLine(facts.plan)}
${metadataLine}

### Another family of models

Copy the model's own \`chat_template.jinja\` (or \`chat_template\` in \`tokenizer_config.json\`) over \`${templateFile}\`. Find the branch for
\`assistant\` and put everything that the model itself writes, up to and including the token that ends its turn, into a macro. Then
print it in one of two ways, so that only trained messages are inside the block:

${codeBlock(
  'jinja',
  `{%- if message.train is not defined or message.train %}
    {%- generation %}{{- answer(message) }}{%- endgeneration %}
{%- else %}
    {{- answer(message) }}
{%- endif %}`,
)}

The words that open the turn, such as \`<|im_start|>assistant\`, stay outside: the model is given them. Do not keep rules that drop
earlier reasoning or that depend on the last message, and check with \`export preview\` or \`--tokenizer\` that trained tokens are
those you expect. TRL warns when the token that ends a turn is outside the block.
${variantsText(facts.files)}${droppedText(facts)}`;
}
