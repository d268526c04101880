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
import { type Json, jsonTextProblems, textProblems, unknownKeys } from './problem-checks';
import type { Target, TargetRecord } from './target';
import { systemText } from './turns';

const tags = {
  role_tag: 'from',
  content_tag: 'value',
  user_tag: 'human',
  assistant_tag: 'gpt',
  observation_tag: 'observation',
  function_tag: 'function_call',
  system_tag: 'system',
} as const;

/**
 * LLaMA-Factory's ShareGPT conversations (`data/converter.py`, `SharegptDatasetConverter`): human or observation, then gpt or
 * function_call, strictly in turn; a row that is otherwise is skipped with a warning. `tools` and `system` are columns.
 */
export const llamafactorySharegptTarget: Target = {
  ...factoryShape,
  format: 'llamafactory-sharegpt',
  title: 'LLaMA-Factory (ShareGPT)',
  begin: () => recordMaker('step', recordsOf),
  extras: ({ files }) => [
    infoExtra(files, {
      formatting: 'sharegpt',
      columns: { messages: 'conversations', system: 'system', tools: 'tools' },
      tags,
    }),
  ],
  readme: (facts) =>
    factoryReadme(
      facts,
      '- Where `system` is empty the template puts its own default system prompt. `tools` is JSON text, empty where a row has none.',
    ),
  problems: (value) => [...problemsOf(value)],
};

function* recordsOf(row: DatasetRow): Generator<TargetRecord> {
  const system = systemText(rowMessages(row));
  const tools = row.tools.length === 0 ? '' : toolsText(row);
  for (const { exchanges, metadata, step } of factoryPrefixes(row)) {
    const conversations = factoryTurns(exchanges, tags);
    yield { value: { conversations, system, tools, metadata }, trained: 1, ...stepOf(step) };
  }
}

function* problemsOf(value: Json): Generator<string> {
  yield* unknownKeys(value, ['conversations', 'system', 'tools', 'metadata'], '');
  yield* textProblems(value.system, 'system');
  yield* textProblems(value.metadata, 'metadata');
  if (value.tools !== '') yield* jsonTextProblems(value.tools, 'list', 'tools');
  const { conversations } = value;
  if (!Array.isArray(conversations)) {
    yield 'conversations must be a list';
    return;
  }
  yield* turnProblems(conversations, tags, { where: 'conversations' });
}
