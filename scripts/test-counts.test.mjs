import { expect, test } from 'vitest';
import { readSmokeOptions } from './smoke-options.mjs';
import {
  closingLine,
  countBenches,
  countPlaywright,
  countVitest,
  judgePart,
  noTests,
  sumCounts,
} from './test-counts.mjs';

test('vitest: a file that does not load is a failure', () => {
  const report = {
    numPassedTests: 5,
    numFailedTests: 1,
    numPendingTests: 2,
    numTodoTests: 0,
    testResults: [
      { status: 'failed', assertionResults: [{ status: 'failed' }] },
      { status: 'failed', assertionResults: [] },
      { status: 'passed', assertionResults: [{ status: 'passed' }] },
    ],
  };
  expect(countVitest(report)).toEqual({ passed: 5, failed: 2, skipped: 2 });
});

test('playwright: flaky tests and errors outside of tests are failures', () => {
  const report = { stats: { expected: 7, unexpected: 1, flaky: 1, skipped: 3 }, errors: [{ message: 'x' }] };
  expect(countPlaywright(report)).toEqual({ passed: 7, failed: 3, skipped: 3 });
});

test('benches: one that broke is a failure, one that missed its bar is none, and all must have run', () => {
  const whole =
    'a: says what\n  MISS a: 2 ×\n  took 3 s\nb: more\n  BROKEN Error: no\n  took 0 s\n   0.1 min all\n';
  expect(countBenches(whole)).toEqual({ passed: 1, failed: 1, skipped: 0 });
  expect(countBenches('a: says what\n  took 3 s\nb: mo')).toEqual({ passed: 1, failed: 1, skipped: 0 });
});

test('a part that failed without saying so, or ran nothing, counts as one failure', () => {
  const passed = { passed: 3, failed: 0, skipped: 0 };
  expect(judgePart(passed, { code: 1, mustRun: true }).failed).toBe(1);
  expect(judgePart(noTests, { code: 0, mustRun: true }).failed).toBe(1);
  expect(judgePart(noTests, { code: 0, mustRun: false }).failed).toBe(0);
  expect(judgePart({ ...passed, failed: 2 }, { code: 1, mustRun: true }).failed).toBe(2);
});

test('the closing line sums the runners', () => {
  const sum = sumCounts([
    { passed: 3, failed: 0, skipped: 1 },
    { passed: 4, failed: 2, skipped: 0 },
  ]);
  expect(closingLine(sum)).toBe('7 passed, 2 failed, 1 skipped');
  expect(closingLine({ passed: 7, failed: 0, skipped: 0 })).toBe('7 passed, 0 failed');
});

test('the smoke options are told from what goes to the application', () => {
  expect(readSmokeOptions(['--smoke', '--out', '/a', 'x'], '/d')).toEqual({
    smoke: true,
    out: '/a',
    rest: ['x'],
  });
  expect(readSmokeOptions(['--out=/b'], '/d')).toEqual({ smoke: false, out: '/b', rest: [] });
  expect(readSmokeOptions([], '/d')).toEqual({ smoke: false, out: '/d', rest: [] });
  expect(() => readSmokeOptions(['--out'], '/d')).toThrow(/folder/);
});
