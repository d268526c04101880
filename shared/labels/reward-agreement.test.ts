import { expect, it } from 'vitest';
import { type RatedStep, rewardAgreement } from './reward-agreement';
import { separation } from './vote-precision';

const votes = (judge: string, values: (1 | -1 | 0)[]) =>
  values.map((value) => ({ judge, value, rubric: 'reward-steps@1' }));

it('tells what votes on steps say of outcomes, of themselves and of each other', () => {
  // p₊ and p₋ are 0.75 with three votes a step: the example of the theorem.
  const good: RatedStep[] = [
    [1, 1, 1],
    [1, 1, -1],
    [1, 1, -1],
    [1, 1, -1],
  ].map((values) => ({ rewards: votes('weak', values as (1 | -1)[]), task: 't', outcome: 1 }));
  const bad: RatedStep[] = good.map(({ rewards }) => ({
    rewards: rewards.map((vote) => ({ ...vote, value: vote.value === 1 ? -1 : 1 })),
    task: 't',
    outcome: -1,
  }));
  const strong: RatedStep = {
    rewards: [...votes('strong', [1, 1, 0]), ...votes('weak', [-1, -1, 1])],
    task: 'other',
    outcome: null,
  };
  const { raters, pairs } = rewardAgreement([...good, ...bad, strong]);
  expect(
    raters.map(({ judge, steps, plus, minus, unparsable }) => [judge, steps, plus, minus, unparsable]),
  ).toEqual([
    ['strong', 1, 2, 0, 1],
    ['weak', 9, 13, 14, 0],
  ]);
  const [other, task] = raters[1]?.tasks ?? [];
  expect(task).toMatchObject({
    task: 't',
    perStep: 3,
    plus: { value: 0.75, n: 12 },
    minus: { value: 0.75, n: 12 },
  });
  expect(task?.separation).toBeCloseTo(separation(0.75, 0.75, 3), 9);
  expect(task?.separation).toBeCloseTo(0.831, 3);
  expect(task?.bound).toBeCloseTo(0.171, 3);
  expect(other).toMatchObject({ task: 'other', mu: null });
  expect(pairs).toMatchObject([{ one: 'strong', other: 'weak', raw: { value: 0, n: 1 } }]);
  expect(rewardAgreement([])).toEqual({ raters: [], pairs: [] });
});

it('the majority of eight votes of a stronger judge is the truth of a step, for each vote and for what most of them say', () => {
  const strong = votes('strong', [1, 1, 1, 1, 1, -1, -1, 0]);
  const torn = votes('strong', [1, 1, 1, 1, -1, -1, -1, -1]);
  const steps: RatedStep[] = [
    { rewards: [...strong, ...votes('weak', [1, 1, -1])], task: 't', outcome: 1 },
    { rewards: [...strong, ...votes('weak', [-1, -1, 0])], task: 't', outcome: 1 },
    { rewards: [...strong, ...votes('weak', [1, -1])], task: 't', outcome: 1 },
    // Nobody knows what is right here, and there.
    { rewards: [...torn, ...votes('weak', [1, 1, 1])], task: 't', outcome: 1 },
    { rewards: votes('weak', [1, 1, 1]), task: 't', outcome: 1 },
  ];
  expect(rewardAgreement(steps).raters.map(({ process }) => process)).toEqual([null, null]);
  const { raters } = rewardAgreement(steps, 'strong');
  expect(raters).toMatchObject([
    { judge: 'strong', process: null },
    {
      judge: 'weak',
      process: { votes: { value: 3 / 7, n: 7 }, majority: { value: 0.5, n: 2 } },
    },
  ]);
});
