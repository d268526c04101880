import type { ChatMessage } from '../log/chat';
import type { Trajectory } from './trajectory';

export type MaskedMessage = ChatMessage | (ChatMessage & { role: 'assistant'; step_loss_mask: 0 | 1 });

export interface MaskOptions {
  /** What the effective label of a step, or a named waiver, says: 1 = its tokens get loss. */
  maskOf(step: number): 0 | 1;
  /**
   * `once`: a step trains in the segment in which it was sampled and nowhere else.
   * `paper`: it trains wherever it stands, as in the paper's data.
   */
  carried: 'once' | 'paper';
  /** Makes masked messages; one for many trajectories gives the same object for the same message and mask. */
  forms?: MaskedForms | undefined;
}

/** Messages with their masks, each made once. */
export class MaskedForms {
  private readonly made = [
    new WeakMap<Answer, MaskedMessage>(),
    new WeakMap<Answer, MaskedMessage>(),
  ] as const;

  of(message: Answer, mask: 0 | 1): MaskedMessage {
    const known = this.made[mask].get(message);
    if (known !== undefined) return known;
    const masked = { ...message, step_loss_mask: mask };
    this.made[mask].set(message, masked);
    return masked;
  }
}

type Answer = ChatMessage & { role: 'assistant' };

/**
 * Puts an explicit mask on every assistant message; other roles never get loss and carry none. Messages of the
 * head are context: 0. Only the action part that is not masked computes the loss (APOLLO §3.4).
 */
export function maskTrajectory(
  trajectory: Trajectory,
  options: MaskOptions,
): { messages: MaskedMessage[]; trained: number[]; masked: number[] } {
  const own = new Set(trajectory.own);
  const carried = new Set(trajectory.carried);
  // What a summariser is shown is never trained there (figure 4).
  const everywhere = options.carried === 'paper' && trajectory.kind === 'react';
  const { forms = new MaskedForms() } = options;
  const trained: number[] = [];
  const masked: number[] = [];
  const messages = trajectory.messages.map(({ message, step }): MaskedMessage => {
    if (message.role !== 'assistant') return message;
    const trains = step > 0 && (own.has(step) || (everywhere && carried.has(step)));
    const mask = trains ? options.maskOf(step) : 0;
    if (step > 0) (mask === 1 ? trained : masked).push(step);
    return forms.of(message, mask);
  });
  return { messages, trained, masked };
}
