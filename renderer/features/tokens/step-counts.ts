import type { TokenLoss, TokenView } from '@shared/contract/export-views';
import { firstFrom } from './token-lines';

export interface StepCount {
  step: number;
  /** Of what the model wrote in it; context where it wrote nothing here. */
  loss: TokenLoss;
  trained: number;
  tokens: number;
  /** First token of what the model wrote in it, else of the step. */
  token: number;
}

/** Tokens of each step of a row, in its order; what belongs to no step is left out. */
export function stepCounts({ messages, starts }: TokenView): StepCount[] {
  const steps = new Map<number, StepCount>();
  for (const { step, role, loss, trainedTokens, tokens, from } of messages) {
    if (step <= 0) continue;
    const known = steps.get(step);
    const token = Math.min(firstFrom(starts, from), Math.max(0, starts.length - 1));
    if (known === undefined) {
      steps.set(step, {
        step,
        token,
        tokens,
        loss: role === 'assistant' ? loss : 'context',
        trained: trainedTokens,
      });
      continue;
    }
    known.tokens += tokens;
    known.trained += trainedTokens;
    if (role === 'assistant' && known.loss === 'context') {
      known.loss = loss;
      known.token = token;
    }
  }
  return [...steps.values()];
}
