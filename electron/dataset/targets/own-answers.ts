import type { MaskedMessage } from '@shared/context/mask';
import { WaymarkError } from '@shared/contract/errors';
import type { ChatMessage } from '@shared/log/chat';
import type { DatasetRow } from '../rows';
import type { StepPlan } from '../run-plan';

export type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

/** The answer of a step that was sampled in the row. */
export interface OwnAnswer {
  step: StepPlan;
  /** Its place among the row's messages. */
  at: number;
  message: AssistantMessage;
  /** 1: its tokens get loss in this variant. */
  mask: 0 | 1;
  /** What came after it: observations, teaching, hints, lines on budgets. Up to the next answer. */
  after: ChatMessage[];
}

/** The message without its mask, which no loader of these formats knows. */
export function withoutMask(message: MaskedMessage): ChatMessage {
  if (!('step_loss_mask' in message)) return message;
  const { step_loss_mask: _, ...bare } = message;
  return bare;
}

/** Answers of the row's own steps, in order. Each step has one assistant message, and own steps are the last of the row. */
export function ownAnswers({ messages, plan }: Pick<DatasetRow, 'messages' | 'plan'>): OwnAnswer[] {
  const places = messages.flatMap(({ role }, at) => (role === 'assistant' ? [at] : []));
  const first = places.length - plan.steps.length;
  if (first < 0) {
    throw new WaymarkError(
      'bug',
      `Segment ${plan.segment.segment} of run ${plan.run.created.run} holds fewer answers than steps`,
    );
  }
  return plan.steps.flatMap((step, index) => {
    const at = places[first + index] ?? 0;
    const message = withoutMask(messages[at] as MaskedMessage);
    if (message.role !== 'assistant') return [];
    const after = messages.slice(at + 1, places[first + index + 1]).map(withoutMask);
    return [{ step, at, message, mask: plan.masks.get(step.step) ?? 0, after }];
  });
}
