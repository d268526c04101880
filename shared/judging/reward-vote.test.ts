import { expect, it } from 'vitest';
import { readReward } from './reward-vote';

it.each([
  ['It helps.\n\\boxed{1}', 1],
  ['\\boxed{+1}', 1],
  ['It harms.\n\n\\boxed{ -1 }', -1],
  ['\\boxed{−1}', -1],
  ['\\boxed{1} as I said: \\boxed{1}', 1],
  ['<think>Maybe \\boxed{-1}?</think>\n\\boxed{1}', 1],
  ['<think>\\boxed{1}</think> I cannot say.', 0],
  ['\\boxed{1} or \\boxed{-1}', 0],
  ['\\boxed{1/2}', 0],
  ['\\boxed{0}', 0],
  ['\\boxed{good}', 0],
  ['boxed{1}', 0],
  ['1', 0],
  ['', 0],
])('%j is the rating %i', (text, value) => {
  expect(readReward(text)).toBe(value);
});
