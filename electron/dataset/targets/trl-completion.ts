import type { DatasetRow } from '../rows';
import {
  LeftOut,
  recordMaker,
  refuseImages,
  rowMessages,
  sourceText,
  stepOf,
  toolsColumn,
  withObjects,
} from './chat-rows';
import { expansionText, prefixesOf, trainedSteps } from './prefix-expansion';
import { columnProblems, isObject, type Json, messageProblems, unknownKeys } from './problem-checks';
import {
  argumentsLine,
  codeBlock,
  droppedText,
  firstFile,
  metadataLine,
  reasoningLine,
  variantsText,
} from './readme-parts';
import type { Target, TargetFacts, TargetRecord } from './target';

/**
 * TRL's prompt and completion: one record for each trained step, its answer alone as the completion. More than one message there
 * would train the results of tools among them.
 */
export const trlCompletionTarget: Target = {
  format: 'trl-completion',
  title: 'TRL (prompt and completion)',
  encodings: ['jsonl'],
  compressions: ['none', 'gzip', 'zstd'],
  kinds: ['react', 'summary'],
  argumentsForm: 'template',
  repeats: 'rows',
  recordsOf: trainedSteps,
  begin: ({ argumentsForm }) => recordMaker('step', (row) => recordsOf(row, argumentsForm)),
  readme,
  problems: (value) => [...problemsOf(value)],
};

function* recordsOf(row: DatasetRow, form: 'string' | 'object'): Generator<TargetRecord> {
  const tools = toolsColumn(row);
  const messages = rowMessages(row);
  const written: Json[] = [];
  for (const { context, step } of prefixesOf(messages, row)) {
    if (context.length === 0)
      throw new LeftOut('An answer stands at the very beginning, so there is no prompt');
    const since = messages.slice(written.length, context.length + 1);
    refuseImages(since, 'TRL takes images as files or pixels only');
    written.push(...since.map(({ message }) => (form === 'object' ? withObjects(message) : { ...message })));
    const value = {
      prompt: written.slice(0, -1),
      completion: written.slice(-1),
      ...tools,
      metadata: sourceText(row, step),
    };
    yield { value, trained: 1, ...stepOf(step) };
  }
}

/** What the checks of messages look at in place of a mask: which side a message is on. No record has such a field. */
const SIDE = ' side';

function* problemsOf(value: Json): Generator<string> {
  yield* unknownKeys(value, ['prompt', 'completion', 'tools', 'metadata'], '');
  yield* columnProblems(value);
  const { prompt, completion } = value;
  if (!Array.isArray(prompt) || prompt.length === 0) yield 'prompt must be a list that is not empty';
  if (!Array.isArray(completion) || completion.length !== 1) {
    yield 'completion must hold one message: everything in it trains';
  } else if (!isObject(completion[0]) || completion[0].role !== 'assistant')
    yield 'completion[0] must be an answer';
  if (!Array.isArray(prompt) || !Array.isArray(completion)) return;
  const flags = (messages: readonly unknown[], trains: boolean) =>
    messages.map((message) =>
      isObject(message) && message.role === 'assistant' ? { ...message, [SIDE]: trains } : message,
    );
  const rules = { flag: SIDE, values: [false, true] as const, flagged: 'assistant' as const };
  yield* messageProblems([...flags(prompt, false), ...flags(completion, true)], {
    ...rules,
    arguments: 'either',
    images: false,
    endsWithAnswer: true,
    answered: false,
  });
}

function readme(facts: TargetFacts): string {
  const train = firstFile(facts.files) ?? 'train.jsonl';
  return `${codeBlock(
    'python',
    `from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

trainer = SFTTrainer(
    model="Qwen/Qwen3-8B",
    args=SFTConfig(output_dir="out", completion_only_loss=True, max_length=131072),
    train_dataset=load_dataset("json", data_files="${train}", split="train"),
)
trainer.train()`,
  )}

${expansionText(facts)}

- \`completion\` is one answer; only its tokens get loss. Everything before it is \`prompt\`, masked answers included.
- \`max_length\` is 1,024 unless you set it. TRL cuts the end of longer records, which is the completion, and silently drops those of
  which no trained token is left.
- TRL warns of a "mismatch between tokenized prompt" where the template writes the same messages otherwise once an answer follows.
  Qwen3's own template does so with reasoning: use a training template, as the one that \`--format trl\` writes, through
  \`chat_template_path\`.
${argumentsLine(facts)}
${reasoningLine(facts.plan)}
${metadataLine}
${variantsText(facts.files)}${droppedText(facts)}`;
}
