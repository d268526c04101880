import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { armsAgainst } from './arms-compared';
import type { ExperimentRun } from './experiment-run';
import { figureOf } from './figures';
import { apolloDomains, domains, innovatorBench, sonnetWithHint } from './published-fixtures';
import { reportTables } from './report';
import { scalingCurve, scoreAtHour } from './scaling-curve';
import { type Figures, measures, summariseArms } from './summary';

const HOUR = 3_600_000;

function run(given: Partial<ExperimentRun> & { id?: string } = {}): ExperimentRun {
  const { id = '1', ...rest } = given;
  return {
    run: `R${id}`,
    title: `Run ${id}`,
    arm: 'a',
    task: { id, title: `Task ${id}`, domain: domains[id] ?? null, hash: id },
    model: 'm',
    taskHint: 'off',
    humanHints: false,
    group: null,
    sample: null,
    seed: null,
    branch: false,
    status: 'finished',
    ended: true,
    final: null,
    best: null,
    timeToBestMs: null,
    workingMs: 0,
    cost: null,
    steps: 1,
    scores: [],
    hints: [],
    hintWords: 0,
    review: { ms: 0, steps: 0, labels: 0 },
    looks: { n: 0, ms: 0 },
    ...rest,
  };
}

/** A row a task: final, best, hours, dollars. */
type Rows = readonly (readonly [final: number, best: number, hours: number, cost: number])[];

function runsOf(arm: string, rows: Rows): ExperimentRun[] {
  return rows.map(([final, best, hours, cost], index) =>
    run({ id: String(index + 1), arm, final, best, workingMs: hours * HOUR, cost }),
  );
}

const shown = ({ final, best, hours, cost }: Figures) =>
  [final, best, hours, cost].map(({ overTasks }) => overTasks.mean ?? Number.NaN);

function near(figures: Figures, expected: readonly number[]): void {
  // Their inputs are rounded as well.
  shown(figures)
    .slice(0, expected.length)
    .forEach((value, at) => {
      expect(Math.abs(value - (expected[at] ?? Number.NaN))).toBeLessThanOrEqual(0.0101);
    });
}

const summaryOf = (rows: Rows) => summariseArms(runsOf('a', rows))[0];
const domain = (rows: Rows, name: string) =>
  summaryOf(rows)?.byDomain.find((each) => each.domain === name)?.figures as Figures;

describe('the published tables from their own numbers', () => {
  test.each([
    ['sonnet', [24.01, 24.54, 5.13, 32.92]],
    ['gpt5', [12.04, 12.52, 2.92, 13.72]],
    // Printed as 1.92 hours and 5.68 dollars.
    ['glm', [11.85, 13.35, 1.885, 5.46]],
    ['kimi', [5.35, 5.45, 3.57, 5.17]],
  ] as const)('means over the tasks: %s', (model, expected) => {
    near(summaryOf(innovatorBench[model])?.figures as Figures, expected);
  });

  test.each([
    ['Data Construction', [25.47, 26.88], [8.41, 8.41], [15.29, 22.65], [14.01, 14.08]],
    ['Data Filtering', [30.89, 31.47], [8.97, 9.48], [5.16, 5.36], [7.39, 7.97]],
    ['Data Augmentation', [22.73, 22.73], [0, 0], [25.49, 25.49], [2.47, 2.47]],
    ['Loss Design', [12.98, 12.98], [0.04, 2.74], [7.63, 7.63], [0, 0]],
    ['Reward Design', [11.56, 11.56], [0, 0], [0, 0], [3.23, 3.23]],
    ['Scaffold Construction', [36.63, 37.74], [60.07, 60.07], [3.33, 3.33], [3.33, 3.33]],
  ])('scores by domain: %s', (name, ...expected) => {
    (['sonnet', 'gpt5', 'glm', 'kimi'] as const).forEach((model, at) => {
      near(domain(innovatorBench[model], name), expected[at] ?? []);
    });
  });

  test.each([
    ['Data Construction', [15.21, 19.8, 1.78, 25.56], [25.47, 26.87, 3.24, 33.09]],
    ['Data Filtering', [16.87, 20.02, 6.97, 32.15], [30.89, 31.47, 4.8, 32.57]],
    ['Data Augmentation', [1, 1, 3.71, 26.03], [22.73, 22.73, 4.48, 30.7]],
    ['Loss Design', [22.65, 25.32, 9.05, 45.11], [12.98, 12.98, 6.32, 34.78]],
    // Without the hint printed as 9.23 hours and 46.14 dollars.
    ['Reward Design', [15.06, 15.06, 6.22, 41.69], [11.56, 11.56, 7.285, 42.24]],
    ['Scaffold Construction', [21.04, 27.71, 3.73, 23.22], [36.63, 37.74, 6.43, 28.65]],
  ])('with the hint and without it: %s', (name, hint, none) => {
    near(domain(sonnetWithHint, name), hint);
    near(domain(innovatorBench.sonnet, name), none);
  });

  test('all tasks with the hint and without it, side by side', () => {
    const arms = summariseArms([...runsOf('none', innovatorBench.sonnet), ...runsOf('hint', sonnetWithHint)]);
    expect(arms.map(({ arm, runs, tasks }) => [arm, runs, tasks])).toEqual([
      ['hint', 20, 20],
      ['none', 20, 20],
    ]);
    near(arms[0]?.figures as Figures, [13.88, 16.67, 4.87, 30.86]);
    // One of the two tables prints 33.92 dollars.
    near(arms[1]?.figures as Figures, [24.01, 24.54, 5.13, 32.92]);
  });

  test.each(
    Object.entries(apolloDomains),
  )("APOLLO's averages weigh domains by their tasks: %s", (_name, rows) => {
    const counts = [4, 3, 5, 3, 2, 3];
    for (const { scores, average } of rows) {
      const all = scores.flatMap((score, at) => Array<number>(counts[at] ?? 0).fill(score));
      expect(Math.abs((figureOf(all, 'left out').mean ?? 0) - average)).toBeLessThanOrEqual(0.0101);
    }
  });
});

describe('the scaling curve', () => {
  const scores = (...pairs: [hour: number, score: number][]) =>
    pairs.map(([hour, score], index) => ({ ms: hour * HOUR, step: index + 1, score }));
  const two = [
    run({ id: 'x', scores: scores([1, 5], [5, 20], [10, 30], [13, 44]) }),
    run({ id: 'y', scores: scores([2, 7], [10, 60], [23, 70], [24, 80]) }),
  ];

  test('takes the last score at or before the hour', () => {
    expect(scoreAtHour(two, 16)).toEqual({ hour: 16, score: 52, tasks: 2, of: 2 });
    expect(scoreAtHour(two, 13)).toMatchObject({ score: 52 });
    expect(scoreAtHour(two, 12.99)).toMatchObject({ score: 45 });
    expect(scoreAtHour(two, 1)).toEqual({ hour: 1, score: 5, tasks: 1, of: 2 });
    expect(scoreAtHour(two, 0)).toEqual({ hour: 0, score: null, tasks: 0, of: 2 });
  });

  test('ends with the last score, in few points however long the runs are', () => {
    expect(scalingCurve(two).at(-1)).toMatchObject({ hour: 24, score: 62 });
    const long = scalingCurve([run({ scores: scores([1000.5, 3]) })]);
    expect(long.length).toBeLessThanOrEqual(50);
    expect(long.at(-1)?.score).toBe(3);
    expect(scalingCurve([])).toHaveLength(1);
  });
});

describe('for any runs', () => {
  const score = fc.option(fc.double({ min: 0, max: 100, noNaN: true }), { nil: null });
  const anyRun = fc
    .record({
      id: fc.constantFrom('1', '5', '8', 'z'),
      arm: fc.constantFrom('a', 'b', null),
      final: score,
      best: score,
      cost: score,
      workingMs: fc.nat(),
    })
    .map(run);

  test('their order does not matter', () => {
    fc.assert(
      fc.property(
        fc
          .array(anyRun, { maxLength: 12 })
          .chain((runs) =>
            fc.tuple(fc.constant(runs), fc.shuffledSubarray(runs, { minLength: runs.length })),
          ),
        ([runs, shuffled]) => {
          expect(summariseArms(shuffled)).toEqual(summariseArms(runs));
        },
      ),
    );
  });

  test('one alone has no deviation', () => {
    fc.assert(
      fc.property(anyRun, (alone) => {
        for (const { figures } of summariseArms([alone]))
          for (const measure of measures)
            for (const figure of Object.values(figures[measure])) expect(figure.deviation).toBeNull();
      }),
    );
  });

  test('an unknown cost stays unknown through every mean', () => {
    fc.assert(
      fc.property(fc.array(anyRun), (runs) => {
        const unknown = run({ id: '5', arm: 'a', cost: null });
        const arm = summariseArms([...runs, unknown]).find((each) => each.arm === 'a');
        const task = arm?.byTask.find((each) => each.task === '5');
        const inDomain = arm?.byDomain.find((each) => each.domain === 'Data Filtering');
        for (const each of [arm, task, inDomain]) {
          expect(each?.figures.cost.overTasks.mean).toBeNull();
          expect(each?.figures.cost.overRuns.mean).toBeNull();
        }
      }),
    );
  });

  test('nor is there a difference of costs where one is unknown; one that rounds to nothing has no sign', () => {
    const runs = [
      ...[
        { final: 1, cost: 2 },
        { final: 1.001, cost: null },
      ].map((given) => run({ ...given, arm: 'a' })),
      run({ arm: 'b', final: 1.001, cost: 2 }),
      run({ id: '2', arm: 'a', final: 1, cost: 2 }),
      run({ id: '2', arm: 'b', final: 1, cost: 2 }),
    ];
    const [difference] = armsAgainst(summariseArms(runs), 'a');
    expect(difference).toMatchObject({ arm: 'b', tasks: 2, figures: { cost: { mean: null, unknown: 1 } } });
    const against = reportTables(runs).find(({ title }) => title.startsWith('Against'));
    expect(against?.rows[0]?.slice(0, 3)).toEqual(['b', '2', '0.00 ± 0.00']);
    expect(against?.rows[0]).not.toEqual(expect.arrayContaining([expect.stringMatching(/^[+-]0\.00/)]));
  });

  test('a branch counts in no mean', () => {
    expect(summariseArms([run({ branch: true, final: 9 })])).toEqual([]);
  });
});
