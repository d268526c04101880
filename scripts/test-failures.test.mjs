import { expect, it } from 'vitest';
import { describeFailures } from './test-failures.mjs';

const passed = { status: 'passed', fullName: 'fine', failureMessages: [] };

it('says again what failed, with the first lines of why', () => {
  const unit = {
    testResults: [
      { name: 'a.test.ts', status: 'passed', assertionResults: [passed] },
      {
        ...{ name: 'b.test.ts', status: 'failed' },
        assertionResults: [
          passed,
          {
            status: 'failed',
            fullName: 'counts',
            failureMessages: [`\u001b[31mexpected 1\u001b[0m\n${'at x\n'.repeat(40)}`],
          },
        ],
      },
      { name: 'c.test.ts', status: 'failed', assertionResults: [], message: 'no such module' },
    ],
  };
  const e2e = {
    errors: [{ message: 'no display' }],
    suites: [
      {
        specs: [{ file: 'd.spec.ts', title: 'works', tests: [{ status: 'expected', results: [{}] }] }],
        suites: [
          {
            specs: [
              {
                ...{ file: 'd.spec.ts', title: 'waits' },
                tests: [{ status: 'unexpected', results: [{ errors: [{ message: 'timed out' }] }] }],
              },
            ],
          },
        ],
      },
    ],
  };
  const said = describeFailures({ unit, e2e });
  expect(said.map((text) => text.split('\n').slice(0, 2))).toEqual([
    ['✗ b.test.ts › counts', '    expected 1'],
    ['✗ c.test.ts', '    no such module'],
    ['✗ d.spec.ts › waits', '    timed out'],
    ['✗ e2e', '    no display'],
  ]);
  expect(said[0]?.split('\n')).toHaveLength(17);
});

it('has nothing to say of parts that did not run or in which nothing failed', () => {
  expect(describeFailures({ unit: null, e2e: null })).toEqual([]);
  const unit = { testResults: [{ name: 'a.test.ts', status: 'passed', assertionResults: [passed] }] };
  expect(describeFailures({ unit, e2e: { errors: [], suites: [] } })).toEqual([]);
});
