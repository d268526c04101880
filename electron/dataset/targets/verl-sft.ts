import type { DatasetRow } from '../rows';
import { rowMessages } from './chat-rows';
import { dropLines } from './drop-lines';
import { withoutMask } from './own-answers';
import { layout, number, structs, text } from './parquet-columns';
import {
  joinedObservations,
  type PlainMessage,
  plainMessages,
  transcript,
  withToolsInSystem,
} from './plain-message';
import { expansionText, prefixesOf, trainedSteps } from './prefix-expansion';
import type { Target, TargetRecord } from './target';

const message = [text('role'), text('content'), number('loss_mask', 'INT32')];
const className = 'WaymarkSFTDataset';
const classFile = 'waymark_verl.py';

interface VerlMessage extends PlainMessage {
  loss_mask: 0 | 1;
}

/**
 * verl's MultiTurnSFTDataset trains every assistant message of a row, whatever else the message says. So each trained answer is a
 * row of its own in which it is the only assistant message; earlier steps are a transcript in the user message before it. The
 * last row of a trajectory also holds the real conversation with a mask on each message, for the class that is written beside
 * the data. Calls are part of the text: two in one message stop verl, and arguments of many shapes have no common struct.
 */
export const verlSft: Target = {
  format: 'verl-sft',
  title: 'verl, SFT',
  encodings: ['parquet'],
  compressions: ['none'],
  kinds: ['react', 'summary'],
  argumentsForm: 'string',
  repeats: 'rows',
  recordsOf: trainedSteps,
  parquet: layout([
    structs('messages', message),
    structs('conversation', message),
    number('enable_thinking', 'BOOLEAN'),
    text('run'),
    number('segment', 'INT32'),
    text('kind'),
    text('task'),
    text('tool_schemas'),
  ]),
  begin: () => ({
    records: (row) => expanded(row),
    dropped: () => [],
    save: () => null,
    restore: () => undefined,
  }),
  extras: () => [{ path: classFile, text: datasetClass }],
  readme: (facts) => `\`\`\`sh
torchrun --nproc_per_node=8 -m verl.trainer.sft_trainer \\
  data.train_files=${facts.files.find(({ split }) => split === 'train')?.path ?? 'train.parquet'} \\
  data.messages_key=conversation data.custom_cls.path=${classFile} data.custom_cls.name=${className} \\
  data.max_length=32768 data.truncation=error
\`\`\`

verl has no mask per message: its own dataset class trains **every** assistant message. There are two ways to train what was
labelled:

| \`data.messages_key\` | dataset class | what is trained |
|---|---|---|
| \`conversation\` | \`${className}\` from \`${classFile}\` | one sequence a trajectory: the conversation as it was sent, loss where \`loss_mask\` is 1. Rows in which \`conversation\` is empty are skipped |
| \`messages\` (default) | verl's own | one sequence a trained answer, which is the only assistant message in it. Earlier steps are a transcript in the user message, which is **not** how the model is asked later, and n steps take n²/2 of their text |

${expansionText(facts)}

Never read \`conversation\` with verl's own class: it would train masked steps.

- **\`data.max_length\`** is 1,024 tokens by default, and a longer row stops the training (\`truncation=error\`).
- verl renders each message alone and compares the tokens with those of the whole conversation. Thinking templates of Qwen3
  fail that check: use an instruct template, or \`data.ignore_input_ids_mismatch=True\`.
- Calls are in \`content\` between \`<tool_call>\` tags, reasoning between \`<think>\` tags, and the tools in the system prompt. There is
  no \`tools\` column, because verl would fill in every schema with the keys of all others; \`tool_schemas\` has them as JSON text.
- \`enable_thinking\`: the trained answer has reasoning. Images are left out; the text names them.
- Every column is required: no reader finds a null.
${dropLines(facts.dropped)}`,
  problems({ messages, conversation, enable_thinking }) {
    const list = (value: unknown) => (Array.isArray(value) ? (value as Partial<VerlMessage>[]) : []);
    const all = [...list(messages), ...list(conversation)];
    const answers = list(messages).filter(({ role }) => role === 'assistant');
    const last = list(messages).at(-1);
    return [
      ...(all.every(({ role, content }) => typeof role === 'string' && typeof content === 'string')
        ? []
        : ['a message has no role or no text']),
      ...(all.every(({ role, loss_mask }) => loss_mask === 0 || (loss_mask === 1 && role === 'assistant'))
        ? []
        : ['loss_mask is not 0 or 1, or is 1 on a message that is no answer']),
      ...(answers.length === 1 && last?.role === 'assistant' && last.loss_mask === 1
        ? []
        : ['messages does not end with its only answer: verl trains every one of them']),
      ...(all.some((each) => 'tool_calls' in each) ? ['a message holds tool_calls, which stop verl'] : []),
      ...(typeof enable_thinking === 'boolean' ? [] : ['enable_thinking is not true or false']),
    ];
  },
};

function* expanded(row: DatasetRow): Generator<TargetRecord> {
  const { plan, tools } = row;
  const { run, task } = plan.run.created;
  const messages = rowMessages(row);
  const prefixes = [...prefixesOf(messages, row)];
  // Once for all prefixes: a row of n steps has n of them.
  const plain = plainMessages(messages.map((each) => each.message));
  for (const [index, { context, answer, step }] of prefixes.entries()) {
    const { message } = answer;
    if (message.role !== 'assistant') continue;
    const before = withToolsInSystem(plain.slice(0, context.length), tools);
    const value = {
      messages: [
        ...alone(before).map((each): VerlMessage => ({ ...each, loss_mask: 0 })),
        { role: 'assistant', content: plain[context.length]?.content ?? '', loss_mask: 1 },
      ],
      conversation: index === prefixes.length - 1 ? conversationOf(row) : [],
      enable_thinking: (message.reasoning_content ?? '') !== '',
      run,
      segment: plan.segment.segment,
      kind: plan.kind,
      task: task.id,
      tool_schemas: JSON.stringify(tools),
    };
    yield { value, trained: 1, steps: step?.own == null ? [] : [step.step] };
  }
}

/** System prompt and one user message: the task, and behind it what happened since. */
function alone(messages: readonly PlainMessage[]): PlainMessage[] {
  const system = messages.filter(({ role }, index) => role === 'system' && index === 0);
  const [first, ...others] = messages.slice(system.length);
  if (first === undefined) return system;
  const content =
    first.role === 'user'
      ? [first.content, ...(others.length === 0 ? [] : [transcript(others)])].join('\n\n')
      : transcript([first, ...others]);
  return [...system, { role: 'user', content }];
}

/** The row as it is, each message with its mask. Observations of parallel calls are joined, so masks are found by answers. */
function conversationOf({ messages, tools }: DatasetRow): VerlMessage[] {
  const masks = messages.flatMap((each) => ('step_loss_mask' in each ? [each.step_loss_mask] : []));
  const plain = withToolsInSystem(joinedObservations(plainMessages(messages.map(withoutMask))), tools);
  return plain.map((each) => ({
    ...each,
    loss_mask: each.role === 'assistant' ? (masks.shift() ?? 0) : 0,
  }));
}

/** Written for verl as of January 2026 (b178a3cd): where a message has mask 0, none of its tokens gets loss. */
const datasetClass = `"""Trains the messages of a conversation whose loss_mask is 1. Use with data.messages_key=conversation."""
from verl.utils.dataset.multiturn_sft_dataset import MultiTurnSFTDataset


class ${className}(MultiTurnSFTDataset):
    def _read_files_and_process(self):
        super()._read_files_and_process()
        kept = [at for at, messages in enumerate(self.messages) if len(messages) > 0]
        if not kept:
            raise ValueError(f"No row has messages in the column {self.messages_key}")
        self.dataframe = self.dataframe.iloc[kept].reset_index(drop=True)
        for name in ("messages", "tools", "enable_thinking"):
            values = getattr(self, name, None)
            if values is not None:
                setattr(self, name, [values[at] for at in kept])

    def _process_single_message(self, index, message, *args, **kwargs):
        ids, loss_mask, *others = super()._process_single_message(index, message, *args, **kwargs)
        if message["role"] == "assistant" and int(message["loss_mask"]) != 1:
            loss_mask = loss_mask * 0
        return (ids, loss_mask, *others)
`;
