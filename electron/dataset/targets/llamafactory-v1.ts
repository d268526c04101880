import type { ChatMessage } from '@shared/log/chat';
import { variantPlan } from '../plan';
import type { DatasetRow } from '../rows';
import { callText } from './argument-text';
import {
  argumentsOf,
  checked,
  countTrained,
  type RowMessage,
  recordMaker,
  refuseUntrained,
  rowMessages,
  sourceText,
  toolsColumn,
} from './chat-rows';
import { expansionCost } from './prefix-expansion';
import {
  callTextProblems,
  columnProblems,
  isObject,
  type Json,
  textProblems,
  unknownKeys,
} from './problem-checks';
import { codeBlock, datasetName, droppedText, metadataLine, variantsText } from './readme-parts';
import type { DataFile, ExtraFile, Target, TargetFacts, TargetRecord } from './target';

const listFile = 'dataset.yaml';

interface Part {
  type: 'text' | 'reasoning' | 'tool_call' | 'image_url';
  value: string;
}

/**
 * Rows of LLaMA-Factory v1 (`v1/utils/types.py`): content in parts, `loss_weight` on every message. Its engine makes one sample of
 * each message that trains, so rows are not expanded here. How often a preset repeats a row is a weight in the list of datasets:
 * where these differ, trajectories and summaries are in files of their own.
 */
export const llamafactoryV1Target: Target = {
  format: 'llamafactory-v1',
  title: 'LLaMA-Factory v1',
  encodings: ['jsonl'],
  compressions: ['none'],
  kinds: ['react', 'summary'],
  argumentsForm: 'object',
  repeats: 'weight',
  begin: ({ plan: { preset } }) => {
    const apart = preset.repeat.react !== preset.repeat.summary;
    return recordMaker('row', (row) => [{ ...recordOf(row), ...(apart ? { part: row.plan.kind } : {}) }]);
  },
  extras: (facts): ExtraFile[] => [{ path: listFile, text: listText(facts) }],
  readme,
  problems: (value) => [...problemsOf(value)],
};

function recordOf(row: DatasetRow): TargetRecord {
  const messages = rowMessages(row);
  refuseUntrained(messages);
  const value = {
    messages: messages.map(written),
    ...toolsColumn(row),
    metadata: sourceText(row),
  };
  return checked({ value, trained: countTrained(messages) }, llamafactoryV1Target.problems);
}

function written({ message, trained }: RowMessage): Record<string, unknown> {
  return { role: message.role, content: partsOf(message), loss_weight: trained ? 1 : 0 };
}

function partsOf(message: ChatMessage): Part[] {
  if (message.role === 'user' && typeof message.content !== 'string') {
    return message.content.map((part) =>
      part.type === 'text'
        ? { type: 'text', value: part.text }
        : { type: 'image_url', value: part.image_url.url },
    );
  }
  const text: Part[] = [{ type: 'text', value: message.content as string }];
  if (message.role !== 'assistant') return text;
  const { reasoning_content: reasoning = '', tool_calls: calls = [] } = message;
  return [
    ...(reasoning === '' ? [] : [{ type: 'reasoning' as const, value: reasoning }]),
    ...(message.content === '' && calls.length > 0 ? [] : text),
    ...calls.map((call) => ({
      type: 'tool_call' as const,
      value: callText(call.function.name, argumentsOf(call)),
    })),
  ];
}

function* problemsOf(value: Json): Generator<string> {
  yield* unknownKeys(value, ['messages', 'tools', 'metadata'], '');
  yield* columnProblems(value);
  if (!Array.isArray(value.messages)) {
    yield 'messages must be a list';
    return;
  }
  let trains = false;
  for (const [at, message] of value.messages.entries()) {
    const where = `messages[${at}]`;
    if (!isObject(message) || !['system', 'user', 'assistant', 'tool'].includes(String(message.role))) {
      yield `${where}.role must be system, user, assistant or tool`;
      continue;
    }
    yield* unknownKeys(message, ['role', 'content', 'loss_weight'], where);
    const weight = message.loss_weight;
    if (weight !== 0 && weight !== 1) yield `${where}.loss_weight must be 0 or 1`;
    if (weight !== 0 && message.role !== 'assistant') yield `${where}.loss_weight trains what no model wrote`;
    trains ||= message.role === 'assistant' && weight === 1;
    if (at === 0 && message.role === 'assistant' && weight === 1)
      yield `${where} is trained without a prompt`;
    yield* partsProblems(message, where);
  }
  if (!trains) yield 'no message is trained';
}

function* partsProblems(message: Json, where: string): Generator<string> {
  if (!Array.isArray(message.content)) {
    yield `${where}.content must be a list of parts`;
    return;
  }
  const allowed =
    message.role === 'assistant'
      ? ['text', 'reasoning', 'tool_call']
      : message.role === 'user'
        ? ['text', 'image_url']
        : ['text'];
  for (const [at, part] of message.content.entries()) {
    const place = `${where}.content[${at}]`;
    if (!isObject(part) || !allowed.includes(String(part.type))) {
      yield `${place}.type must be ${allowed.join(' or ')}`;
      continue;
    }
    yield* unknownKeys(part, ['type', 'value'], place);
    yield* textProblems(part.value, `${place}.value`);
    if (part.type === 'tool_call') yield* callTextProblems(part.value, `${place}.value`);
  }
}

function listText({ files, plan }: TargetFacts): string {
  const train = files.find(({ split }) => split === 'train') ?? files[0];
  return files
    .map((file) => {
      const weight = weightOf(file, plan.preset.repeat);
      const lines = [
        `${datasetName(file)}:`,
        `  path: ${file.path}`,
        '  source: local',
        ...(weight === 1 ? [] : [`  weight: ${weight}.0`]),
      ];
      const used = file.split === 'train' && file.variant === train?.variant;
      return lines.map((line) => (used ? line : `# ${line}`)).join('\n');
    })
    .join('\n')
    .concat('\n');
}

/** Of a file that holds both kinds of rows the weight of trajectories. */
function weightOf({ part }: DataFile, repeat: TargetFacts['plan']['preset']['repeat']): number {
  return repeat[part ?? 'react'];
}

function readme(facts: TargetFacts): string {
  const { plan, files } = facts;
  const { rows, records, rowTokens, recordTokens } = expansionCost(variantPlan(plan));
  const { react, summary } = plan.preset.repeat;
  const together = files.some(({ part }) => part === undefined);
  return `${codeBlock(
    'yaml',
    `model: Qwen/Qwen3-4B-Instruct-2507
train_dataset: ${listFile}
output_dir: ./out
micro_batch_size: 1
cutoff_len: 131072`,
  )}

Save this as \`waymark.yaml\` in this folder and run \`USE_V1=1 llamafactory-cli sft waymark.yaml\` from here: paths in
\`${listFile}\` are relative to where the command runs. Only the training files of one variant are active in it.

- \`loss_weight\` is 0 or 1 on every message. The loader makes one sample of each message with 1: the ${rows} ${rows === 1 ? 'trajectory' : 'trajectories'} become about ${records} samples
  and ${recordTokens} tokens instead of ${rowTokens} (estimates).${
    react === 1 && summary === 1
      ? ''
      : `
- Instead of repeating rows, \`${listFile}\` gives ${
          react === summary
            ? `all files the weight ${react}`
            : `trajectories the weight ${react} and summaries the weight ${summary}`
        }. The loader draws that many samples at random with replacement, without a seed: some come more often, some never.${
          together && react !== summary
            ? ` Trajectories and summaries are in one file here, which has the weight ${react}; export them apart with \`--filter\` for the exact weights.`
            : ''
        }`
  }
- The template must write earlier turns alike once an answer follows. Qwen3's own template does not, and the loader stops with
  "prompt is not a token-prefix"; the Instruct-2507 models' templates do.
- \`size\` and \`weight\` in \`${listFile}\` count samples, and \`streaming: true\` would train whole rows: leave it out.
- The loader puts an invisible character into text that looks like a control token of the model, such as \`<|im_end|>\`.
- Calls are handed to the template with their arguments as objects; DeepSeek V3's template wants text and raises.
- Images are \`data:\` addresses. A model without images silently loses them: use a multimodal one, or leave such runs out.
${metadataLine}
${variantsText(files)}${droppedText(facts)}`;
}
