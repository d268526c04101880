import type { ContentPart } from '@shared/log/chat';
import type { DatasetRow } from '../rows';
import { callText } from './argument-text';
import {
  argumentsOf,
  checked,
  countTrained,
  LeftOut,
  type RowMessage,
  recordMaker,
  refuseUntrained,
  rowMessages,
  sourceText,
  toolsColumn,
  upToLastAnswer,
} from './chat-rows';
import {
  callTextProblems,
  columnProblems,
  isObject,
  type Json,
  textProblems,
  unknownKeys,
} from './problem-checks';
import {
  codeBlock,
  droppedText,
  firstFile,
  holdsReasoning,
  metadataLine,
  noReasoning,
  variantsText,
} from './readme-parts';
import type { Target, TargetFacts, TargetRecord } from './target';
import { answerText } from './turns';

const IMAGE = '<image>';

interface SwiftMessage {
  role: 'system' | 'user' | 'assistant' | 'tool_call' | 'tool_response';
  content: string;
  loss?: boolean;
}

/**
 * ms-swift's own messages: an answer's text is an `assistant` message, each of its calls a `tool_call` message behind it, all
 * with the answer's `loss`; results are `tool_response`. Older releases drop OpenAI's `tool_calls`, these roles work in all. The
 * loader deletes a row with an odd turn after its log has scrolled by, so what follows a result joins it.
 */
export const msSwiftTarget: Target = {
  format: 'ms-swift',
  title: 'ms-swift',
  encodings: ['jsonl'],
  compressions: ['none'],
  kinds: ['react', 'summary'],
  argumentsForm: 'object',
  repeats: 'rows',
  begin: () => recordMaker('row', (row) => [recordOf(row)]),
  readme,
  problems: (value) => [...problemsOf(value)],
};

function recordOf(row: DatasetRow): TargetRecord {
  const source = upToLastAnswer(rowMessages(row));
  refuseUntrained(source);
  const images: string[] = [];
  const messages: SwiftMessage[] = [];
  for (const each of source) add(messages, each, images);
  const value = {
    messages,
    ...toolsColumn(row),
    ...(images.length === 0 ? {} : { images }),
    metadata: sourceText(row),
  };
  return checked({ value, trained: countTrained(source) }, msSwiftTarget.problems);
}

function add(messages: SwiftMessage[], { message, trained: loss }: RowMessage, images: string[]): void {
  const before = messages.at(-1);
  switch (message.role) {
    case 'assistant': {
      if (before?.role === 'assistant' || before?.role === 'tool_call') {
        throw new LeftOut('An answer follows another with nothing between them');
      }
      const calls = message.tool_calls ?? [];
      const text = answerText(message);
      if (text !== '' || calls.length === 0) messages.push({ role: 'assistant', content: text, loss });
      for (const call of calls) {
        messages.push({ role: 'tool_call', content: callText(call.function.name, argumentsOf(call)), loss });
      }
      return;
    }
    case 'tool':
      messages.push({ role: 'tool_response', content: message.content });
      return;
    case 'user': {
      const content =
        typeof message.content === 'string' ? message.content : withTags(message.content, images);
      if (before?.role === 'tool_response' || before?.role === 'user') {
        before.content += content.startsWith('\n\n') ? content : `\n\n${content}`;
      } else messages.push({ role: 'user', content });
      return;
    }
    default:
      messages.push({ role: 'system', content: message.content });
  }
}

/** `<image>` where an image stands, the images themselves in a list beside the messages. */
function withTags(parts: readonly ContentPart[], images: string[]): string {
  return parts
    .map((part) => {
      if (part.type === 'text') return part.text;
      images.push(part.image_url.url);
      return IMAGE;
    })
    .join('');
}

function* problemsOf(value: Json): Generator<string> {
  yield* unknownKeys(value, ['messages', 'tools', 'images', 'metadata'], '');
  yield* columnProblems(value);
  const { messages, images = [] } = value;
  if (!Array.isArray(messages) || messages.length === 0) {
    yield 'messages must be a list that is not empty';
    return;
  }
  let before = 'system';
  let trains = false;
  let tags = 0;
  for (const [at, message] of messages.entries()) {
    const where = `messages[${at}]`;
    if (!isObject(message) || typeof message.content !== 'string') {
      yield `${where}.content must be text`;
      continue;
    }
    yield* oneProblem(message, where, { before, first: at === 0 });
    trains ||= message.loss === true;
    tags += message.content.split(IMAGE).length - 1;
    before = String(message.role);
  }
  if (!trains) yield 'no message is trained';
  if (before !== 'assistant' && before !== 'tool_call') yield 'the last message must be an answer';
  if (!Array.isArray(images) || images.some((image) => typeof image !== 'string'))
    yield 'images must be a list of text';
  else if (images.length > 0 && tags !== images.length) {
    yield `${tags} tags ${IMAGE} for ${images.length} images: the loader would put images in the wrong place`;
  }
}

/** What may come before each role; the loader pairs questions and answers by place and deletes what does not fit. */
const follows: Readonly<Record<string, readonly string[]>> = {
  system: [],
  user: ['system', 'assistant', 'tool_call'],
  assistant: ['user', 'tool_response'],
  tool_call: ['user', 'tool_response', 'assistant', 'tool_call'],
  tool_response: ['assistant', 'tool_call', 'tool_response'],
};

function* oneProblem(
  message: Json,
  where: string,
  { before, first }: { before: string; first: boolean },
): Generator<string> {
  const role = String(message.role);
  const allowed = follows[role];
  if (allowed === undefined) {
    yield `${where}.role must be system, user, assistant, tool_call or tool_response`;
    return;
  }
  const answer = role === 'assistant' || role === 'tool_call';
  yield* unknownKeys(message, answer ? ['role', 'content', 'loss'] : ['role', 'content'], where);
  yield* textProblems(message.content, `${where}.content`);
  if (answer && typeof message.loss !== 'boolean') yield `${where}.loss must be true or false`;
  if (role === 'system' ? !first : !allowed.includes(before))
    yield `${where}.role is ${role} after ${before}: the loader deletes the row`;
  if (role === 'tool_call') yield* callTextProblems(message.content, `${where}.content`);
}

function readme(facts: TargetFacts): string {
  const train = firstFile(facts.files) ?? 'train.jsonl';
  const validation = firstFile(facts.files, 'validation');
  const thinks = holdsReasoning(facts.plan);
  return `${codeBlock(
    'sh',
    `swift sft \\
  --model Qwen/Qwen3-8B --agent_template hermes \\
  --dataset ${train} \\${validation === null ? '' : `\n  --val_dataset ${validation} \\`}
  --loss_scale ${thinks ? 'default' : 'ignore_empty_think'} --strict true \\
  --max_length 131072 --load_from_cache_file false`,
  )}

- \`loss\` is true or false on every \`assistant\` and \`tool_call\` message and beats the strategy of \`--loss_scale\`. All parts of one
  answer carry the same value.
- **Pass \`--strict true\`.** Without it ms-swift deletes rows that it cannot read, and reports only the first few.
- \`--loss_scale last_round\` would remove the reasoning of earlier answers; \`--template_backend jinja\` ignores \`loss\`. Keep the
  default backend, \`swift\`.
- \`tool_call\` holds \`{"name", "arguments"}\` as JSON text, the arguments as the model wrote them; the agent template writes them again
  with Python's spacing. Choose \`--agent_template\` to fit the model: \`hermes\` puts no line break between an answer's text and its
  call.
${
  thinks
    ? '- Reasoning is in the text as a `<think>` block, because ms-swift drops `reasoning_content`. Thinking templates put an empty block before answers without one; `--loss_scale ignore_empty_think` gives it no loss.'
    : `- ${noReasoning(facts.plan)} Thinking templates put an empty \`<think>\` block before each answer; \`--loss_scale ignore_empty_think\` gives it no loss.`
}
- What a person or the program said after a tool's result is at the end of that result: the loader takes no user message there.
- Images are \`data:\` addresses in \`images\`, with a tag \`${IMAGE}\` where each was shown. Multimodal models only.
${metadataLine}
${variantsText(facts.files)}${droppedText(facts)}`;
}
