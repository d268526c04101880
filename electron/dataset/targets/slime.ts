import type { MaskedMessage } from '@shared/context/mask';
import { WaymarkError } from '@shared/contract/errors';
import { rowMetadata } from '../row-metadata';
import type { DatasetRow } from '../rows';
import { argumentsAsObject } from './argument-text';
import { slimeParquet } from './slime-parquet';
import { slimeProblems } from './slime-problems';
import { slimeReadme } from './slime-readme';
import {
  type RecordMaker,
  remembersNothing,
  type Target,
  type TargetContext,
  type TargetRecord,
} from './target';

/**
 * Chat rows as slime's SFT rollout reads them: `step_loss_mask` 0 or 1 on every assistant message; a field that is absent there
 * trains, and one that a Parquet reader fills with null is masked. Arguments of calls stay the model's own text unless the
 * chat template wants objects: slime hands them to the template as they are. Absent facts are left out rather than null.
 */
export const slime: Target = {
  format: 'slime',
  title: 'slime',
  encodings: ['jsonl', 'parquet'],
  compressions: ['none', 'gzip', 'zstd'],
  kinds: ['react', 'summary'],
  argumentsForm: 'template',
  repeats: 'rows',
  shared: 'messages',
  parquet: slimeParquet,
  begin: slimeRecords,
  readme: slimeReadme,
  problems: slimeProblems,
};

/** @throws WaymarkError `unsupported`: before an hour of rows is read for a file that cannot hold them */
function slimeRecords({ argumentsForm, plan }: TargetContext): RecordMaker {
  if (argumentsForm === 'object' && plan.options.encoding === 'parquet') {
    throw new WaymarkError(
      'unsupported',
      'Arguments as objects differ from call to call and fit no Parquet column. Export JSON Lines instead, or add --arguments string.',
    );
  }
  const withObjects: WithObjects = new WeakMap();
  return {
    records: (row) => [slimeRecord(row, argumentsForm, withObjects)],
    dropped: () => [],
    ...remembersNothing,
  };
}

/** Messages whose calls have objects, each made once: rows share them. */
type WithObjects = WeakMap<MaskedMessage, Readonly<Record<string, unknown>>>;

/** The same row makes the same record. */
export function slimeRecord(
  row: DatasetRow,
  argumentsForm: TargetContext['argumentsForm'],
  made: WithObjects = new WeakMap(),
): TargetRecord {
  const inObjects = (message: MaskedMessage) => {
    const known = made.get(message) ?? withObjects(message, row);
    made.set(message, known);
    return known;
  };
  const messages = argumentsForm === 'string' ? row.messages : row.messages.map(inObjects);
  return {
    value: { messages, tools: row.tools, metadata: rowMetadata(row) },
    trained: row.messages.filter((message) => 'step_loss_mask' in message && message.step_loss_mask === 1)
      .length,
  };
}

function withObjects(message: MaskedMessage, { plan }: DatasetRow): Readonly<Record<string, unknown>> {
  if (message.role !== 'assistant' || message.tool_calls === undefined) return { ...message };
  const calls = message.tool_calls.map((call) => {
    const { arguments: text } = call.function;
    const read = argumentsAsObject(text);
    if ('object' in read) return { ...call, function: { ...call.function, arguments: read.object } };
    throw new WaymarkError(
      'unsupported',
      `A call of ${call.function.name} in segment ${plan.segment.segment} of run ${plan.run.created.run} cannot be written as an object: its arguments ${read.why}. Export with --arguments string, or leave the run out.`,
      text.slice(0, 2_000),
    );
  });
  return { ...message, tool_calls: calls };
}
