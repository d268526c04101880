import { modelOf } from '../plan';
import type { DatasetRow } from '../rows';
import {
  checked,
  countTrained,
  flaggedMessages,
  recordMaker,
  refuseUntrained,
  rowMessages,
  upToLastAnswer,
  wellFormedTools,
} from './chat-rows';
import { type Json, messageProblems, type TrainFlag, toolProblems, unknownKeys } from './problem-checks';
import {
  codeBlock,
  droppedText,
  firstFile,
  holdsReasoning,
  reasoningLine,
  variantsText,
} from './readme-parts';
import type { Target, TargetFacts, TargetRecord } from './target';

const weight: TrainFlag = { flag: 'weight', values: [0, 1], flagged: 'assistant' };

/**
 * OpenAI's chat fine-tuning lines, which Fireworks, Together and others read too: `weight` 0 or 1 on every assistant message. What
 * follows the last answer is left out, because a line must end with one.
 */
export const openaiTarget: Target = {
  format: 'openai',
  title: 'OpenAI messages',
  encodings: ['jsonl'],
  compressions: ['none'],
  kinds: ['react', 'summary'],
  argumentsForm: 'string',
  repeats: 'rows',
  begin: () => recordMaker('row', (row) => [recordOf(row)]),
  readme,
  problems: (value) => [...problemsOf(value)],
};

function recordOf(row: DatasetRow): TargetRecord {
  const messages = upToLastAnswer(rowMessages(row));
  refuseUntrained(messages);
  const value = {
    messages: flaggedMessages(messages, weight, 'string'),
    ...(row.tools.length === 0
      ? {}
      : { tools: wellFormedTools(row), parallel_tool_calls: asksForSeveral(row) }),
  };
  return checked({ value, trained: countTrained(messages) }, openaiTarget.problems);
}

/** Whether answers may hold several calls: as the requests said, or as the row shows. */
function asksForSeveral(row: DatasetRow): boolean {
  return (
    modelOf(row.plan).params.parallel_tool_calls === true ||
    row.messages.some((message) => message.role === 'assistant' && (message.tool_calls?.length ?? 0) > 1)
  );
}

function* problemsOf(value: Json): Generator<string> {
  yield* unknownKeys(value, ['messages', 'tools', 'parallel_tool_calls'], '');
  yield* messageProblems(value.messages, {
    ...weight,
    arguments: 'string',
    images: true,
    endsWithAnswer: true,
    answered: true,
  });
  if (value.tools !== undefined) yield* toolProblems(value.tools, 'tools');
  if (Array.isArray(value.tools) && value.tools.length === 0)
    yield 'tools must be left out where there are none';
  if (value.parallel_tool_calls !== undefined) {
    if (typeof value.parallel_tool_calls !== 'boolean') yield 'parallel_tool_calls must be true or false';
    if (value.tools === undefined) yield 'parallel_tool_calls is only allowed with tools';
  }
}

function readme(facts: TargetFacts): string {
  const train = firstFile(facts.files) ?? 'train.jsonl';
  return `${codeBlock('sh', `openai api files.create -f ${train} -p fine-tune`)}

Upload the file, then start a supervised job on it. Fireworks, Together and other services that take OpenAI's chat lines read the
same file through their own upload command.

- \`weight\` is 0 or 1 on **every** assistant message: 0 is context only. A service that does not know \`weight\` trains every
  answer without a word; check that before you pay for a job, or use prefix expansion (\`--format trl-completion\`).
- A call's \`arguments\` are the model's own JSON text (a string).
${reasoningLine(facts.plan)}${
  !holdsReasoning(facts.plan)
    ? ''
    : ' OpenAI itself does not document the field for training; export with `--reasoning drop` if the upload is refused.'
}
- Images are \`data:\` addresses in user messages. OpenAI takes JPEG, PNG and WEBP, and limits their number for each line.
- OpenAI wants at least 10 lines, and closed its fine-tuning platform to new users; the format lives on elsewhere.
- Each line ends with an answer: results of tools after the last one are left out, which changes nothing that is trained.
${variantsText(facts.files)}${droppedText(facts)}`;
}
