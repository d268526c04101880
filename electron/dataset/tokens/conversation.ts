import type { MaskedMessage } from '@shared/context/mask';
import type { RowView, TokenMessage, TokenRule } from '@shared/contract/export-views';
import type { Tool } from '@shared/log/event-parts';
import type { Range } from './jinja/marks';

/** A row as the thread of tokens gets it: texts and masks, and nothing that needs a store. */
export interface TokenRow {
  view: RowView;
  of: number;
  messages: readonly MaskedMessage[];
  tools: readonly Tool[];
  /** Step of each message; 0: head. */
  steps: readonly number[];
  /** Steps sampled in the row, with what decided about them. */
  own: readonly { step: number; source: string | null; reason: string | null }[];
}

export interface TokenOptions {
  rule: TokenRule;
  /** `auto`: as the template wants it. */
  argumentsForm: 'auto' | 'string' | 'object';
  /** Format that is asked for: it decides `auto`, and the fields that messages carry. */
  format: string;
}

/** What a trainer makes of a row: a text, its tokens, and whose they are. */
export interface Training {
  text: string;
  ids: number[];
  /** UTF-16 units of the text. */
  starts: number[];
  /** Message that a token trains with, if that message trains; -1: it never trains. */
  owner: Int32Array;
  /** 1: the token gets loss. Null: where its message does. */
  trained: Uint8Array | null;
  /** Where each message is in the text; empty where it is not there. */
  places: Range[];
  warnings: string[];
}

/** Messages and tools as the template gets them. */
export interface TemplateRow {
  messages: readonly Record<string, unknown>[];
  tools: readonly unknown[];
  /** Whether each message trains; null: it is not the assistant's. */
  masks: readonly (0 | 1 | null)[];
}

/**
 * Messages as a target writes them. Half surrogates are replaced as in the file; arguments become an object where that is the
 * form, except for those that are none.
 */
export function templateRow(row: TokenRow, form: 'string' | 'object', format: string): TemplateRow {
  const masks = row.messages.map((message) => ('step_loss_mask' in message ? message.step_loss_mask : null));
  const messages = row.messages.map((message, index) => {
    const { step_loss_mask: _, ...plain } = message as MaskedMessage & { step_loss_mask?: 0 | 1 };
    const mask = masks[index] ?? null;
    const calls = plain.role === 'assistant' ? plain.tool_calls : undefined;
    return wellFormed({
      ...plain,
      ...(calls === undefined || form === 'string'
        ? {}
        : { tool_calls: calls.map((call) => ({ ...call, function: asObject(call.function) })) }),
      ...(mask === null ? {} : format === 'slime' ? { step_loss_mask: mask } : {}),
      ...(mask === null || format !== 'trl' ? {} : { train: mask === 1 }),
    }) as Record<string, unknown>;
  });
  return { messages, tools: wellFormed(row.tools) as unknown[], masks };
}

function asObject(call: { name: string; arguments: string }): { name: string; arguments: unknown } {
  try {
    const value: unknown = JSON.parse(call.arguments);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { ...call, arguments: value } : call;
  } catch {
    return call;
  }
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\p{Surrogate}/gu, '\ufffd');
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, wellFormed(each)]));
}

/** What a message's tokens are where it does not train. */
export function lossOf(row: TokenRow, index: number): TokenMessage['loss'] {
  const message = row.messages[index];
  if (message === undefined || !('step_loss_mask' in message)) return 'context';
  if (message.step_loss_mask === 1) return 'trained';
  const step = row.steps[index] ?? 0;
  if (step === 0) return 'context';
  return row.own.some((own) => own.step === step) ? 'masked' : 'carried';
}
