import type { DatasetRow } from '../rows';
import { readArguments } from './argument-text';
import {
  argumentsOf,
  checked,
  countTrained,
  flaggedMessages,
  LeftOut,
  type RowMessage,
  recordMaker,
  refuseImages,
  refuseUntrained,
  rowMessages,
  sourceText,
  toolsColumn,
  upToLastAnswer,
} from './chat-rows';
import {
  columnProblems,
  isObject,
  type Json,
  messageProblems,
  trainOnAll,
  unknownKeys,
} from './problem-checks';
import {
  codeBlock,
  datasetName,
  droppedText,
  metadataLine,
  reasoningLine,
  variantsText,
} from './readme-parts';
import type { DataFile, ExtraFile, Target, TargetFacts, TargetRecord } from './target';

const configFile = 'axolotl.yaml';

/**
 * Lines for axolotl's `chat_template` strategy with `message_field_training: train`: true or false on every message, which beats
 * `roles_to_train` (`prompt_strategies/chat_template.py`). `tools` is JSON text: the loader parses it, and a column of structs
 * would fill schemas with null.
 */
export const axolotlTarget: Target = {
  format: 'axolotl',
  title: 'axolotl',
  encodings: ['jsonl'],
  compressions: ['none', 'gzip', 'zstd'],
  kinds: ['react', 'summary'],
  argumentsForm: 'string',
  repeats: 'rows',
  begin: () => recordMaker('row', (row) => [recordOf(row)]),
  extras: (facts): ExtraFile[] => [{ path: configFile, text: configText(facts.files) }],
  readme,
  problems: (value) => [...problemsOf(value)],
};

function recordOf(row: DatasetRow): TargetRecord {
  const messages = upToLastAnswer(rowMessages(row));
  refuseUntrained(messages);
  refuseImages(messages, 'axolotl masks by message only in its text path, which drops them');
  for (const message of messages) refuseWhatFails(message);
  const value = {
    messages: flaggedMessages(messages, trainOnAll, 'string'),
    ...toolsColumn(row),
    metadata: sourceText(row),
  };
  return checked({ value, trained: countTrained(messages) }, axolotlTarget.problems);
}

/** The loader parses arguments and stops at what is no JSON; an answer without text and call has no span, and trains nothing. */
function refuseWhatFails({ message, trained }: RowMessage): void {
  if (message.role !== 'assistant') return;
  for (const call of message.tool_calls ?? []) argumentsOf(call);
  const empty = message.content === '' && message.tool_calls === undefined;
  if (empty && trained)
    throw new LeftOut('A trained answer is empty, and axolotl finds nothing of it to train');
}

function* problemsOf(value: Json): Generator<string> {
  yield* unknownKeys(value, ['messages', 'tools', 'metadata'], '');
  yield* messageProblems(value.messages, {
    ...trainOnAll,
    arguments: 'string',
    images: false,
    endsWithAnswer: true,
    answered: false,
  });
  yield* columnProblems(value);
  if (!Array.isArray(value.messages)) return;
  for (const [at, message] of value.messages.entries()) {
    if (!isObject(message) || message.role !== 'assistant') continue;
    if (message.train === true && message.content === '' && message.tool_calls === undefined) {
      yield `messages[${at}] is trained and empty: nothing of it would be`;
    }
    for (const call of Array.isArray(message.tool_calls) ? message.tool_calls : []) {
      const text = isObject(call) && isObject(call.function) ? call.function.arguments : undefined;
      const read = typeof text === 'string' ? readArguments(text) : null;
      if (read !== null && 'why' in read) yield `messages[${at}].tool_calls: the arguments ${read.why}`;
    }
  }
}

function configText(files: readonly DataFile[]): string {
  const [first] = files;
  const variant = first?.variant ?? 'all';
  const chosen = files.filter((file) => file.variant === variant);
  const others = files.filter((file) => file.variant !== variant);
  const validation = chosen.filter(({ split }) => split === 'validation');
  return `# Paths are relative to this folder. Set the model, then: axolotl train ${configFile}
base_model: Qwen/Qwen3-8B

chat_template: tokenizer_default
datasets:
${chosen
  .filter(({ split }) => split === 'train')
  .map(datasetEntry)
  .join('')}${
  validation.length === 0 ? '' : `test_datasets:\n${validation.map(datasetEntry).join('')}`
}${others.map((file) => `# other variant (${datasetName(file)}): ${file.path}\n`).join('')}
train_on_inputs: false
sequence_len: 131072
sample_packing: true
output_dir: ./out
`;
}

/** `roles_to_train: []` alone would take the path that trains the last turn and drops tools; `message_field_training` avoids it. */
function datasetEntry({ path }: DataFile): string {
  return `  - path: ${path}
    ds_type: json
    split: train
    type: chat_template
    field_messages: messages
    field_tools: tools
    roles_to_train: []
    message_field_training: train
    train_on_eos: turn
`;
}

function readme(facts: TargetFacts): string {
  return `${codeBlock('sh', `axolotl train ${configFile}`)}

\`${configFile}\` is ready except for the model, the sequence length and the output folder.

- \`train\` is true or false on **every** message. The loader reads it because \`message_field_training: train\` says so; keep that line,
  \`roles_to_train: []\` and \`train_on_eos\`. A configuration with none of them trains the last turn only and drops the tools.
- \`train_on_eos: turn\` also trains the token that ends a trained turn. Where the template ends turns with another token than the
  tokenizer's \`eos_token\`, list it in \`eot_tokens\`; axolotl warns when it cannot find it.
- axolotl warns "Last turn is not trainable" where a trajectory ends with masked steps. That is meant, and harmless with
  \`train_on_eos: turn\`.
- The loader parses \`arguments\` and hands the template an object. DeepSeek V3's template wants text; train that model with another
  format.
- Rows longer than \`sequence_len\` are dropped by axolotl; the longest rows are in the preview.
${reasoningLine(facts.plan)}
${metadataLine}
${variantsText(facts.files)}${droppedText(facts)}`;
}
