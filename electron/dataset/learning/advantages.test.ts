import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  acceptsJudge,
  acceptsPolicy,
  judgementRewards,
  standardised,
  stepReward,
  type Vote,
} from './advantages';
import { majority, voteOf } from './votes';

const votes = fc.array(fc.constantFrom<Vote>(1, -1, 0), { maxLength: 5 });

describe('rewards of steps', () => {
  it('adds outcome and mean vote, unparsable votes included', () => {
    expect(stepReward(1, [1, 1, -1], 'integrated')).toBeCloseTo(4 / 3, 12);
    expect(stepReward(-1, [1, 1, -1], 'step')).toBeCloseTo(1 / 3, 12);
    expect(stepReward(-1, [1, 1, 1], 'outcome')).toBe(-1);
    expect(stepReward(1, [1, 0, 0], 'integrated')).toBeCloseTo(4 / 3, 12);
    expect(stepReward(1, [0, 0], 'step')).toBe(0);
    expect([
      stepReward(1, [], 'integrated'),
      stepReward(1, [], 'step'),
      stepReward(1, [], 'outcome'),
    ]).toEqual([null, null, 1]);
  });

  it('standardises by the population, keeps a value that is alone, and makes equal ones 0', () => {
    expect(standardised([1, -1], 'raw')).toEqual([1, -1]);
    expect(standardised([2, 0, 1, 1], 'raw').map((value) => value.toFixed(6))).toEqual([
      ...['1.414214', '-1.414214', '0.000000', '0.000000'],
    ]);
    expect(standardised([1.5], 'raw')).toEqual([1.5]);
    expect(standardised([1.5], 'zero')).toEqual([0]);
    expect(standardised([0.1 + 0.2, 0.3], 'raw')).toEqual([0, 0]);
    expect(standardised([], 'raw')).toEqual([]);
  });

  it('has mean 0 and deviation 1 whatever the values, in the order of the values', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 2, maxLength: 30 }), (values) => {
        const made = standardised(values, 'raw');
        const mean = made.reduce((a, b) => a + b, 0) / made.length;
        const deviation = Math.sqrt(made.reduce((sum, x) => sum + x * x, 0) / made.length);
        expect(Math.abs(mean)).toBeLessThan(1e-9);
        expect(deviation).toBeCloseTo(new Set(values).size > 1 ? 1 : 0, 9);
        for (const [index, value] of values.entries()) {
          for (const [other, more] of values.entries()) {
            if (value < more) expect(made[index]).toBeLessThan(made[other] ?? 0);
          }
        }
      }),
    );
  });

  it('rewards a judgement that agrees with what happened above one that does not, and an unparsable one least', () => {
    const [agrees, differs, garbled] = judgementRewards(1.5, [1, -1, 0]);
    expect(agrees).toBeGreaterThan(differs ?? 0);
    expect(differs).toBeGreaterThan(garbled ?? 0);
    expect(judgementRewards(1.5, [1, 1, 1])).toEqual([0, 0, 0]);
    expect(judgementRewards(1.5, [1])).toEqual([0]);
    expect(judgementRewards(2, [-1, 0])).toEqual([0, 0]);
  });

  it('accepts tasks at the borders of both windows', () => {
    const accepted = (accepts: typeof acceptsPolicy, runs: number) =>
      [...Array(runs + 1).keys()].filter((successes) => accepts(successes, runs));
    expect(accepted(acceptsPolicy, 8)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(accepted(acceptsPolicy, 16)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
    expect(accepted(acceptsJudge, 5)).toEqual([1, 2, 3, 4]);
    expect(accepted(acceptsJudge, 10)).toEqual([2, 3, 4, 5, 6, 7, 8]);
    expect([acceptsPolicy(0, 0), acceptsJudge(0, 0), acceptsPolicy(1, 1), acceptsJudge(0, 1)]).toEqual([
      ...[false, false, false, false],
    ]);
  });

  it('agrees with an implementation of its own in Python', () => {
    const cases = fc.sample(
      fc.record({
        outcome: fc.constantFrom<1 | -1>(1, -1),
        votes,
        values: fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { maxLength: 12 }),
        successes: fc.nat(9),
        runs: fc.nat(9),
      }),
      { numRuns: 400, seed: 14 },
    );
    const { stdout, stderr } = spawnSync(
      'python3',
      [join(import.meta.dirname, '../../testing/loaders/rlanything-maths.py')],
      { input: JSON.stringify(cases), encoding: 'utf8' },
    );
    expect(stderr).toBe('');
    const made = cases.map((each) => {
      const rewards = (['outcome', 'step', 'integrated'] as const).map((signal) =>
        stepReward(each.outcome, each.votes, signal),
      );
      return {
        rewards,
        standardised: standardised(each.values, 'raw'),
        judged: judgementRewards(rewards[2] ?? 0, each.votes),
        accepted: [acceptsPolicy(each.successes, each.runs), acceptsJudge(each.successes, each.runs)],
      };
    });
    expectClose(made, JSON.parse(stdout));
  });

  /**
   * verl divides by the unbiased deviation + 1e-6 and keeps a group of one; that is ours times a factor of the group. Recorded with
   * verl's core_algos (Apache-2.0) at b178a3cd on made-up scores, as float32.
   */
  it('agrees with the advantages that verl computed for the same groups', () => {
    const recorded: { score: number; group: string; grpo: number }[][] = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../testing/loaders/verl-grpo.json'), 'utf8'),
    );
    expect(recorded.length).toBeGreaterThanOrEqual(10);
    let compared = 0;
    for (const samples of recorded) {
      for (const group of new Set(samples.map((sample) => sample.group))) {
        const members = samples.filter((sample) => sample.group === group);
        const scores = members.map(({ score }) => score);
        const n = scores.length;
        const mean = scores.reduce((a, b) => a + b, 0) / n;
        const squares = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0);
        const unbiased = n === 1 ? 1 : Math.sqrt(squares / (n - 1));
        const factor = n === 1 || squares === 0 ? 1 : (unbiased + 1e-6) / Math.sqrt(squares / n);
        for (const [index, advantage] of standardised(scores, 'raw').entries()) {
          expect(advantage).toBeCloseTo((members[index]?.grpo ?? Number.NaN) * factor, 5);
          compared += 1;
        }
      }
    }
    expect(compared).toBeGreaterThan(100);
  });
});

describe('votes', () => {
  it('reads keep, mask and unparsable', () => {
    expect([
      voteOf({ value: 'keep', reason: 'J3' }),
      voteOf({ value: 'mask', reason: '' }),
      voteOf({ value: 'keep', reason: ' Unparsable ' }),
      voteOf({ value: 'mask', reason: 'unparsable' }),
    ]).toEqual([1, -1, 0, 0]);
  });

  it('names the majority, or why there is none', () => {
    expect([majority([1, 1, -1]), majority([-1, 0, 0]), majority([1, -1]), majority([1, -1, 0])]).toEqual([
      ...[true, false, 'tie', 'tie'],
    ]);
    expect([majority([]), majority([0, 0])]).toEqual(['no votes', 'unparsable']);
  });

  it('turns around when every vote does', () => {
    fc.assert(
      fc.property(votes, (each) => {
        const turned = majority(each.map((vote): Vote => (vote === 0 ? 0 : vote === 1 ? -1 : 1)));
        const label = majority(each);
        expect(turned).toBe(typeof label === 'boolean' ? !label : label);
      }),
    );
  });
});

/** The same shape and, but for rounding, the same numbers. */
function expectClose(made: unknown, other: unknown): void {
  if (typeof made === 'number') {
    expect(typeof other).toBe('number');
    expect(Math.abs(made - Number(other))).toBeLessThan(1e-9);
  } else if (typeof made === 'object' && made !== null) {
    expect(Object.keys(other as object)).toEqual(Object.keys(made));
    for (const [key, value] of Object.entries(made))
      expectClose(value, (other as Record<string, unknown>)[key]);
  } else expect(other).toEqual(made);
}
