import { estimateTokens } from '@shared/context/tokens';
import { mostCostOf, type Price } from '../model/client';
import type { JudgeTask } from './judge-task';

export interface BatchEstimate {
  requests: number;
  /** Each counted once, however many votes it gets. */
  steps: number;
  inputTokens: number;
  outputTokens: number;
  /** Null: the endpoint has no price. */
  cost: number | null;
}

/** What a batch would ask and cost, by estimate: every turn is answered at the first try. Nothing is sent. */
export async function estimateBatch(
  tasks: AsyncGenerator<JudgeTask>,
  price: Price | null,
): Promise<BatchEstimate> {
  const estimate = { requests: 0, steps: 0, inputTokens: 0, outputTokens: 0 };
  const steps = new Set<string>();
  let cost = 0;
  for await (const task of tasks) {
    const { run, open } = task;
    const inputTokens = estimateTokens(JSON.stringify(task.requestFor(open)));
    const outputTokens = task.outputTokens(open.length);
    estimate.requests += 1;
    estimate.inputTokens += inputTokens;
    estimate.outputTokens += outputTokens;
    for (const step of open) steps.add(`${run} ${step}`);
    if (price !== null) cost += mostCostOf({ inputTokens, outputTokens }, price);
  }
  return { ...estimate, steps: steps.size, cost: price === null ? null : cost };
}
