import { expect, it } from 'vitest';
import { callsNews, oneCallWords, severalCallsWords, trainingNews, trainingWords } from './budget';

const day = 24 * 3_600_000;
const system = `Computers\n\n${trainingWords(day)}; then it is stopped.`;

it('budgets say of the limit on one training only what the system prompt does not', () => {
  expect(trainingWords(day)).toBe('A single training run may take 24 h at most');
  expect(trainingNews(system, day)).toBeNull();
  expect(trainingNews(system, day / 8)).toBe('A single training run may take 3 h at most');
  expect(trainingNews(system, null)).toBe('A training run may now take as long as the run lasts');
  expect(trainingNews('Computers', null)).toBeNull();
  expect(trainingNews('Computers', day)).toBe('A single training run may take 24 h at most');
});

it('budgets say of the calls in one answer only what the system prompt does not', () => {
  const [one, several] = [`Call ${oneCallWords}`, `Call ${severalCallsWords}`];
  const asked = (...flags: (boolean | undefined)[]) => flags.map((each) => ({ parallel_tool_calls: each }));
  expect(callsNews(one, asked(false, false))).toBeNull();
  expect(callsNews(several, asked(true, true))).toBeNull();
  expect(callsNews(one, asked(true, true))).toBe('You may now make several calls in one answer');
  // The endpoint refused to be told; the answers' calls are run as the settings say.
  expect(callsNews(one, asked(undefined, true))).toBe('You may now make several calls in one answer');
  expect(callsNews(several, asked(true, false))).toContain('only one call now');
  expect(callsNews(several, asked(undefined, undefined))).toBeNull();
  expect(callsNews('A prompt of another version.', asked(true))).toBeNull();
});
