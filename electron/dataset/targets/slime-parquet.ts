import { WaymarkError } from '@shared/contract/errors';
import type { ParquetLayout } from './target';

type Fields = Readonly<Record<string, unknown>>;
type Repetition = 'REQUIRED' | 'OPTIONAL';

const text = (name: string, repetition_type: Repetition = 'REQUIRED') => ({
  name,
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  logical_type: { type: 'STRING' },
  repetition_type,
});
const number = (name: string) => ({ name, type: 'INT32', repetition_type: 'REQUIRED' });
const group = (name: string, num_children: number, repetition_type: Repetition = 'REQUIRED') => ({
  name,
  num_children,
  repetition_type,
});
const list = (name: string, repetition_type: Repetition = 'REQUIRED') => [
  { name, num_children: 1, repetition_type, converted_type: 'LIST', logical_type: { type: 'LIST' } },
  { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
];

/**
 * slime's rows as columns. `step_loss_mask` is REQUIRED on every message, 0 where the role never trains: a reader fills an absent
 * one with null, and slime takes null for masked. Tools are JSON text, which slime decodes, because their schemas differ from
 * tool to tool and a common column type would fill them with nulls; `metadata.json` is the metadata of the JSON Lines row.
 */
export const slimeParquet: ParquetLayout = {
  columns: ['messages', 'tools', 'metadata'],
  schema: [
    { name: 'root', num_children: 3 },
    ...list('messages'),
    group('element', 6),
    text('role'),
    text('content'),
    text('reasoning_content', 'OPTIONAL'),
    ...list('tool_calls', 'OPTIONAL'),
    group('element', 3),
    text('id'),
    text('type'),
    group('function', 2),
    text('name'),
    text('arguments'),
    text('tool_call_id', 'OPTIONAL'),
    number('step_loss_mask'),
    text('tools'),
    group('metadata', 6),
    text('source_name'),
    text('kind'),
    text('run'),
    number('segment'),
    text('task'),
    text('json'),
  ],
  row: ({ messages, tools, metadata }) => {
    const { source_name, kind, run, segment, task } = metadata as Fields;
    const where = `Segment ${segment} of run ${run}`;
    return {
      messages: (messages as Fields[]).map((message) => columnsOf(message, where)),
      tools: JSON.stringify(tools),
      metadata: { source_name, kind, run, segment, task, json: JSON.stringify(metadata) },
    };
  },
};

function columnsOf(message: Fields, where: string): Fields {
  const { content, step_loss_mask = 0, tool_calls: calls } = message;
  if (typeof content !== 'string') {
    throw new WaymarkError(
      'unsupported',
      `${where} holds images, which a Parquet file for slime has no column for. Export JSON Lines instead.`,
    );
  }
  for (const { function: called } of (calls ?? []) as { function: Fields }[]) {
    if (typeof called.arguments === 'string') continue;
    throw new WaymarkError(
      'unsupported',
      `${where} holds arguments as objects, which differ from call to call and fit no Parquet column. Export JSON Lines instead, or add --arguments string.`,
    );
  }
  return { ...message, step_loss_mask };
}
