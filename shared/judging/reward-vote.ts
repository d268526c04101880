/** One judge's word on a step: good, bad, or not understood. */
export type RewardValue = 1 | -1 | 0;

/** Before this, an answer is thinking aloud. */
const THOUGHT_ENDS = '</think>';

/**
 * The rating that an answer ends with: what stands in its `\boxed{}`. Without one, with anything else in it (a fraction, a word) or
 * with two that differ, nothing was said that can be taken: 0.
 */
export function readReward(text: string): RewardValue {
  const end = text.lastIndexOf(THOUGHT_ENDS);
  const answer = end < 0 ? text : text.slice(end + THOUGHT_ENDS.length);
  const boxed = [...answer.matchAll(/\\boxed\s*\{([^{}]*)\}/gu)].map(([, inside]) => ratingIn(inside ?? ''));
  const [first = 0, ...others] = boxed;
  return others.every((value) => value === first) ? first : 0;
}

function ratingIn(text: string): RewardValue {
  const plain = text.trim().replace(/^[−–]/u, '-');
  if (plain === '1' || plain === '+1') return 1;
  return plain === '-1' ? -1 : 0;
}
