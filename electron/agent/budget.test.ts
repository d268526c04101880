import { expect, it } from 'vitest';
import { trainingNews, trainingWords } from './budget';

const day = 24 * 3_600_000;
const system = `Computers\n\n${trainingWords(day)}; then it is ended.`;

it('budgets say of the limit on one training only what the system prompt does not', () => {
  expect(trainingWords(day)).toBe('A single training run may take 24 h at most');
  expect(trainingNews(system, day)).toBeNull();
  expect(trainingNews(system, day / 8)).toBe('A single training run may take 3 h at most');
  expect(trainingNews(system, null)).toBe('A training run may now take as long as the run has time');
  expect(trainingNews('Computers', null)).toBeNull();
  expect(trainingNews('Computers', day)).toBe('A single training run may take 24 h at most');
});
