import type { DatasetRow } from '../rows';
import { recordMaker, rowMessages, stepOf, toolsText } from './chat-rows';
import {
  alternationProblems,
  callTurnProblems,
  factoryPrefixes,
  factoryReadme,
  infoExtra,
} from './llamafactory';
import { trainedSteps } from './prefix-expansion';
import { isObject, type Json, jsonTextProblems, textProblems, unknownKeys } from './problem-checks';
import type { Target, TargetRecord } from './target';
import { systemText } from './turns';

/**
 * LLaMA-Factory's ShareGPT conversations (`data/converter.py`, `SharegptDatasetConverter`): human or observation, then gpt or
 * function_call, strictly in turn; a row that is otherwise is skipped with a warning. `tools` and `system` are columns.
 */
export const llamafactorySharegptTarget: Target = {
  format: 'llamafactory-sharegpt',
  title: 'LLaMA-Factory (ShareGPT)',
  encodings: ['jsonl'],
  compressions: ['none'],
  kinds: ['react', 'summary'],
  argumentsForm: 'object',
  repeats: 'rows',
  recordsOf: trainedSteps,
  begin: () => recordMaker('step', recordsOf),
  extras: ({ files }) => [
    infoExtra(files, {
      formatting: 'sharegpt',
      columns: { messages: 'conversations', system: 'system', tools: 'tools' },
      tags: {
        role_tag: 'from',
        content_tag: 'value',
        user_tag: 'human',
        assistant_tag: 'gpt',
        observation_tag: 'observation',
        function_tag: 'function_call',
        system_tag: 'system',
      },
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
    const conversations = exchanges.flatMap(({ asked, text, answer }) => [
      { from: asked === 'user' ? 'human' : 'observation', value: text },
      { from: answer.calls ? 'function_call' : 'gpt', value: answer.text },
    ]);
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
  yield* alternationProblems(
    conversations.map((turn: unknown) => (isObject(turn) ? turn.from : undefined)),
    { even: ['human', 'observation'], odd: ['gpt', 'function_call'], where: 'conversations' },
  );
  for (const [at, turn] of conversations.entries()) {
    const where = `conversations[${at}]`;
    if (!isObject(turn)) continue;
    yield* unknownKeys(turn, ['from', 'value'], where);
    yield* textProblems(turn.value, `${where}.value`);
    if (turn.from === 'function_call') yield* callTurnProblems(turn.value, `${where}.value`);
    if (turn.from === 'human' && String(turn.value).includes('{{idx}}')) {
      yield `${where}.value holds {{idx}}, which the loader replaces by a number`;
    }
  }
}
