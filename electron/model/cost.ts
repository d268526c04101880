import type { Usage } from '@shared/log/event-parts';

/** Currency units per million tokens; cached input has a price of its own. */
export interface Price {
  input: number;
  cached: number;
  output: number;
}

/** Cost of one answer in the price's currency; null when price or usage is unknown. */
export function costOf(usage: Usage | null, price: Price | null): number | null {
  if (usage === null || price === null) {
    return null;
  }
  const cached = Math.min(usage.cachedTokens, usage.inputTokens);
  const fresh = usage.inputTokens - cached;
  return (fresh * price.input + cached * price.cached + usage.outputTokens * price.output) / 1_000_000;
}
