import type { MaskedMessage } from '@shared/context/mask';
import type { DatasetRow } from '../rows';

/** A row cut after one of its trained answers. */
export interface Prefix {
  /** Up to and including the answer, which is the last one and alone has mask 1. */
  messages: MaskedMessage[];
  /** The answer's place among the messages of the row. */
  at: number;
}

/** One prefix for each answer that trains in the row, in order: for loaders whose sequences hold no mask per message. */
export function prefixesOf({ messages }: Pick<DatasetRow, 'messages'>): Prefix[] {
  const untrained = messages.map((message) =>
    'step_loss_mask' in message ? { ...message, step_loss_mask: 0 as const } : message,
  );
  return messages.flatMap((message, at) =>
    'step_loss_mask' in message && message.step_loss_mask === 1
      ? [{ messages: [...untrained.slice(0, at), message], at }]
      : [],
  );
}
