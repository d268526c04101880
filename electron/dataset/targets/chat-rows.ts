import type { ChatMessage, ChatToolCall } from '@shared/log/chat';
import { rowMetadata } from '../row-metadata';
import type { DatasetRow } from '../rows';
import type { StepPlan } from '../run-plan';
import {
  type ArgumentsRefused,
  type ArgumentText,
  argumentsAsObject,
  readArguments,
  wellFormed,
} from './argument-text';
import type { TrainFlag } from './problem-checks';
import type { RecordMaker, TargetDrop, TargetRecord } from './target';

/** A message of a row and whether it gets loss. Other roles than the assistant's never do. */
export interface RowMessage {
  message: ChatMessage;
  trained: boolean;
}

type Assistant = Extract<ChatMessage, { role: 'assistant' }>;

/** Why a row, or a part of it, is in no record: thrown inside a maker, counted by it. Completes "…: N". */
export class LeftOut extends Error {}

/**
 * A maker out of a function that writes the records of one row. What it throws as `LeftOut` is counted and the next row comes;
 * records that were made before stay. `row`: it makes one record, and what is left out is a row; `step`: it makes one for each
 * trained answer, in order, and what is left out are the answers from there on.
 */
export function recordMaker(
  unit: 'row' | 'step',
  make: (row: DatasetRow) => Iterable<TargetRecord>,
): RecordMaker {
  const counts = new Map<string, number>();
  return {
    *records(row) {
      let made = 0;
      try {
        for (const record of make(row)) {
          made += 1;
          yield record;
        }
      } catch (error) {
        if (!(error instanceof LeftOut)) throw error;
        const count = unit === 'row' ? 1 : countTrained(rowMessages(row)) - made;
        if (count > 0) counts.set(error.message, (counts.get(error.message) ?? 0) + count);
      }
    },
    dropped: () => [...counts].map(([why, count]): TargetDrop => ({ why, count })),
    save: () => [...counts],
    restore: (saved) => {
      for (const [why, count] of saved as [string, number][]) counts.set(why, count);
    },
  };
}

/** The messages of a row in order, without half surrogates and without the mask among their fields. */
export function rowMessages({ messages }: DatasetRow): RowMessage[] {
  return messages.map((message): RowMessage => {
    switch (message.role) {
      case 'assistant':
        return {
          message: assistantOf(message),
          trained: 'step_loss_mask' in message && message.step_loss_mask === 1,
        };
      case 'user':
        return {
          message: {
            role: 'user',
            content:
              typeof message.content === 'string'
                ? wellFormed(message.content)
                : message.content.map((part) =>
                    part.type === 'text' ? { ...part, text: wellFormed(part.text) } : part,
                  ),
          },
          trained: false,
        };
      case 'tool':
        return {
          message: {
            role: 'tool',
            tool_call_id: wellFormed(message.tool_call_id),
            content: wellFormed(message.content),
          },
          trained: false,
        };
      default:
        return { message: { role: 'system', content: wellFormed(message.content) }, trained: false };
    }
  });
}

function assistantOf({ reasoning_content, tool_calls, content }: Assistant): Assistant {
  return {
    role: 'assistant',
    ...(reasoning_content === undefined ? {} : { reasoning_content: wellFormed(reasoning_content) }),
    ...(tool_calls === undefined || tool_calls.length === 0 ? {} : { tool_calls: tool_calls.map(callOf) }),
    content: wellFormed(content),
  };
}

function callOf({ id, function: { name, arguments: text } }: ChatToolCall): ChatToolCall {
  const read = readArguments(text);
  return {
    id: wellFormed(id),
    type: 'function',
    function: { name: wellFormed(name), arguments: 'why' in read ? wellFormed(text) : read.text },
  };
}

/** @throws LeftOut when a loader cannot read them as an object */
export function argumentsOf({ function: { name, arguments: text } }: ChatToolCall): ArgumentText {
  return taken(name, readArguments(text));
}

/** @throws LeftOut when they are no object, or would be another one once written */
export function objectOf({
  function: { name, arguments: text },
}: ChatToolCall): Readonly<Record<string, unknown>> {
  return taken(name, argumentsAsObject(text)).object;
}

function taken<T extends object>(name: string, read: T | ArgumentsRefused): T {
  if ('why' in read)
    throw new LeftOut(`A call of ${name.slice(0, 60)} cannot be loaded: its arguments ${read.why}`);
  return read;
}

/** What follows the last answer teaches nothing, and loaders that want an answer at the end refuse it. */
export function upToLastAnswer(messages: readonly RowMessage[]): RowMessage[] {
  const last = messages.map(({ message }) => message.role).lastIndexOf('assistant');
  return messages.slice(0, last + 1);
}

export function countTrained(messages: readonly RowMessage[]): number {
  return messages.filter(({ trained }) => trained).length;
}

/** @throws LeftOut when a message shows images. `loader`: why it takes none. */
export function refuseImages(messages: readonly RowMessage[], loader: string): void {
  if (messages.some(({ message }) => message.role === 'user' && typeof message.content !== 'string')) {
    throw new LeftOut(`The row shows images, and ${loader}`);
  }
}

/** @throws LeftOut when nothing trains, which no loader makes anything useful of. */
export function refuseUntrained(messages: readonly RowMessage[]): void {
  if (countTrained(messages) === 0) throw new LeftOut('No answer of the row is trained');
}

/** The tools as JSON text: schemas differ from tool to tool, and columns of structs fill what is missing with null. */
export function toolsText({ tools }: Pick<DatasetRow, 'tools'>): string {
  return wellFormedJson(tools);
}

/** A record's column of tools, which is absent where there are none. */
export function toolsColumn(row: DatasetRow): { tools?: string } {
  return row.tools.length === 0 ? {} : { tools: toolsText(row) };
}

export function wellFormedTools(row: Pick<DatasetRow, 'tools'>): DatasetRow['tools'] {
  return JSON.parse(toolsText(row)) as DatasetRow['tools'];
}

/** JSON text whose strings hold no half surrogates. */
function wellFormedJson(value: unknown): string {
  const json = JSON.stringify(value);
  return json.includes('\\ud')
    ? JSON.stringify(value, (_, each) => (typeof each === 'string' ? wellFormed(each) : each))
    : json;
}

/** Which step an answer of a row is. */
export interface AnswerStep {
  run: string;
  step: number;
  /** Sampled in the row; null for a step that is carried on. */
  own: StepPlan | null;
}

/** For a record of one step: so that it is found again from the record, and the record from it. */
export function stepOf(step: AnswerStep | null): Pick<TargetRecord, 'steps'> {
  return step === null ? {} : { steps: [step.step] };
}

/**
 * The steps of a row's answers, in order; null for those of the head, and for the context of a summary turn. Own steps are the
 * row's last answers, carried ones stand right before them (`TrajectoryFold`).
 */
export function answerSteps({ messages, plan }: DatasetRow): (AnswerStep | null)[] {
  const answers = messages.filter(({ role }) => role === 'assistant').length;
  const run = plan.run.created.run;
  const carried = plan.kind === 'react' ? plan.segment.carried : [];
  const known: AnswerStep[] = [
    ...carried.map((each) => ({ ...each, own: null })),
    ...plan.steps.map((own) => ({ run, step: own.step, own })),
  ];
  const head = Math.max(0, answers - known.length);
  return [...Array<null>(head).fill(null), ...(answers === 0 ? [] : known.slice(-answers))];
}

/**
 * Where a record comes from, as loaders that ignore other columns can carry it: JSON text, the same type in every record.
 * @param only names the one step that the record trains
 */
export function sourceText(row: DatasetRow, only?: AnswerStep | null): string {
  const source = rowMetadata(row);
  if (only === undefined || only === null) return wellFormedJson(source);
  const { steps, carried: _, not_as_sent: _differences, refused: _refused, ...facts } = source;
  const own =
    only.own === null ? undefined : (steps as { step: number }[]).find(({ step }) => step === only.step);
  return wellFormedJson({
    ...facts,
    ...(own === undefined ? { carried: [{ run: only.run, step: only.step, mask: 1 }] } : { steps: [own] }),
  });
}

/** As an object, for formats that have a place for one. */
export function sourceOf(row: DatasetRow): unknown {
  return JSON.parse(sourceText(row));
}

/** What decided about a step. */
export function stepSource({ step, id, label, given }: StepPlan, mask: 0 | 1): Record<string, unknown> {
  return {
    step,
    id,
    mask,
    ...(label.source === null ? {} : { source: label.source }),
    ...(label.reason === null ? {} : { reason: wellFormed(label.reason) }),
    ...(given === null ? {} : { given_reason: wellFormed(given) }),
  };
}

/**
 * The record, if its own loader takes it as meant.
 * @throws LeftOut with what the loader would not take, places left out so that equal reasons count together
 */
export function checked(
  record: TargetRecord,
  problems: (value: TargetRecord['value']) => string[],
): TargetRecord {
  const [first] = problems(record.value);
  if (first !== undefined) throw new LeftOut(`The row cannot be loaded: ${first.replace(/\[\d+\]/g, '[…]')}`);
  return record;
}

/** OpenAI's messages with a flag for training on them. Calls keep their form or become objects. */
export function flaggedMessages(
  messages: readonly RowMessage[],
  { flag, values: [masked, trained], flagged }: TrainFlag,
  form: 'string' | 'object',
): Record<string, unknown>[] {
  return messages.map(({ message, trained: trains }) => ({
    ...(form === 'object' ? withObjects(message) : message),
    ...(flagged === 'all' || message.role === 'assistant' ? { [flag]: trains ? trained : masked } : {}),
  }));
}

/** @throws LeftOut when arguments are no object */
export function withObjects(message: ChatMessage): Record<string, unknown> {
  if (message.role !== 'assistant' || message.tool_calls === undefined) return { ...message };
  const { content, tool_calls: calls, ...rest } = message;
  const objects = calls.map((call) => ({
    ...call,
    function: { name: call.function.name, arguments: objectOf(call) },
  }));
  return { ...rest, tool_calls: objects, content };
}
