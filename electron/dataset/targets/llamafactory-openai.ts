import type { DatasetRow } from '../rows';
import { recordMaker, rowMessages, stepOf, toolsText } from './chat-rows';
import {
  factoryPrefixes,
  factoryReadme,
  factoryShape,
  factoryTurns,
  infoExtra,
  turnProblems,
} from './llamafactory';
import { isObject, type Json, jsonTextProblems, textProblems, unknownKeys } from './problem-checks';
import type { Target, TargetRecord } from './target';
import { systemText } from './turns';

const tags = {
  role_tag: 'role',
  content_tag: 'content',
  user_tag: 'user',
  assistant_tag: 'assistant',
  observation_tag: 'tool',
  function_tag: 'function_call',
  system_tag: 'system',
} as const;

/**
 * LLaMA-Factory's `formatting: openai` (`data/converter.py`, `OpenAIDatasetConverter`). Calls stand in the content of a
 * `function_call` message, as what the converter itself makes of `tool_calls`: from these it takes the calls and loses the text
 * beside them, and the releases of `datasets` that LLaMA-Factory allows (up to 4.0) fill the arguments of every call with the
 * names of all others and null. `tools` is `[]` where there are none: without tools the converter adds "detailed thinking off" to the
 * system prompt.
 */
export const llamafactoryOpenaiTarget: Target = {
  ...factoryShape,
  format: 'llamafactory-openai',
  title: 'LLaMA-Factory (OpenAI)',
  begin: () => recordMaker('step', recordsOf),
  extras: ({ files }) => [
    infoExtra(files, {
      formatting: 'openai',
      columns: { messages: 'messages', tools: 'tools' },
      tags,
    }),
  ],
  readme: (facts) =>
    factoryReadme(
      facts,
      `- The loader adds a line break at the end of a system prompt. \`--format llamafactory-sharegpt\` does not have this fault; prefer it.
- Calls are in the content of \`function_call\` messages rather than in \`tool_calls\`: the loader would lose the text beside them, and
  \`datasets\` up to 4.0 would fill their arguments with null.`,
    ),
  problems: (value) => [...problemsOf(value)],
};

function* recordsOf(row: DatasetRow): Generator<TargetRecord> {
  const system = systemText(rowMessages(row));
  const head = system === '' ? [] : [{ role: tags.system_tag, content: system }];
  const tools = toolsText(row);
  for (const { exchanges, metadata, step } of factoryPrefixes(row)) {
    const messages = [...head, ...factoryTurns(exchanges, tags)];
    yield { value: { messages, tools, metadata }, trained: 1, ...stepOf(step) };
  }
}

function* problemsOf(value: Json): Generator<string> {
  yield* unknownKeys(value, ['messages', 'tools', 'metadata'], '');
  yield* textProblems(value.metadata, 'metadata');
  yield* jsonTextProblems(value.tools, 'list', 'tools');
  if (!Array.isArray(value.messages)) {
    yield 'messages must be a list';
    return;
  }
  const [first] = value.messages as unknown[];
  const head = isObject(first) && first.role === tags.system_tag ? 1 : 0;
  yield* turnProblems(value.messages, tags, { where: 'messages', head });
}
