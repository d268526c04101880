import type { RewardSignal } from '@shared/contract/export-request';

/** One judge's word on a step: good, bad, or not understood. */
export type Vote = 1 | -1 | 0;

/** Weight of the votes beside the outcome; RLAnything's code has no other. */
export const LAMBDA = 1;
/** Raw reward of a judgement that could not be parsed, in reward-model training (RLAnything's code, not its paper). */
export const UNPARSABLE_REWARD = -2;
/** A deviation up to this is none. */
const NO_DEVIATION = 1e-8;
/** A standardised value up to this is 0: thirds are not exact, and a reward of 1e-16 is none. */
const NOTHING = 1e-9;

/**
 * (x − mean) / population standard deviation. Without any deviation all are 0. `alone`: what becomes of a single value, which
 * has nothing to be compared with.
 */
export function standardised(values: readonly number[], alone: 'raw' | 'zero'): number[] {
  if (values.length === 1 && alone === 'raw') return [...values];
  const mean = sum(values) / values.length;
  const deviation = Math.sqrt(sum(values.map((value) => (value - mean) ** 2)) / values.length);
  return values.map((value) => {
    const made = deviation <= NO_DEVIATION ? 0 : (value - mean) / deviation;
    return Math.abs(made) <= NOTHING ? 0 : made;
  });
}

/**
 * R of one step (RLAnything, eq. 1): O + λ/m ΣS, or one of its two parts. An unparsable vote is a 0 among the m. Null: the signal
 * needs votes and there are none.
 */
export function stepReward(outcome: 1 | -1, votes: readonly Vote[], signal: RewardSignal): number | null {
  if (signal === 'outcome') return outcome;
  if (votes.length === 0) return null;
  const judged = (LAMBDA * sum(votes)) / votes.length;
  return signal === 'step' ? judged : outcome + judged;
}

/**
 * What each judgement of a step is worth to the model that judges: R·S, −2 where it could not be parsed, standardised within
 * the step. One judgement alone, or all alike, teach nothing: 0.
 */
export function judgementRewards(reward: number, votes: readonly Vote[]): number[] {
  return standardised(
    votes.map((vote) => (vote === 0 ? UNPARSABLE_REWARD : reward * vote)),
    'zero',
  );
}

/** A task's runs train the policy when 1/8 to 7/8 of them succeed: otherwise there is too little to compare. */
export function acceptsPolicy(successes: number, runs: number): boolean {
  return runs > 0 && 8 * successes >= runs && 8 * successes <= 7 * runs;
}

/** A task's judgements train the reward model when 0.2 to 0.8 of its runs succeed. */
export function acceptsJudge(successes: number, runs: number): boolean {
  return runs > 0 && 5 * successes >= runs && 5 * successes <= 4 * runs;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
