import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../setup/project.mjs';
import { judge, seenIn, tableOf, testsOf } from './judge.mjs';
import { checkPackages } from './packages.mjs';
import { promises } from './promises.mjs';

const report = (title, status = 'passed') => ({
  testResults: [
    {
      name: '/x/electron/store/kill.test.ts',
      assertionResults: [{ title, fullName: title, status, duration: 1500 }],
    },
  ],
});
const proof = { file: 'electron/store/kill.test.ts', title: /^(\d+) times kill/ };
const kills = { id: 'P1', says: 'kill', asked: '500', count: 500, unit: [proof] };
const verdict = (promised, given, more = {}) =>
  judge(promised, {
    ...{
      seen: seenIn(testsOf(given), promised.unit ?? []),
      figures: [],
      benchSeconds: 0,
      checked: [],
      short: false,
    },
    ...more,
  }).verdict;

describe('a promise', () => {
  it('holds when its tests went through as many cases as were asked', () => {
    expect(verdict(kills, report('500 times kill -9'))).toBe('ok');
  });

  it('does not hold with fewer, with a part that nothing tests, or with a bench that was left out', () => {
    expect(verdict(kills, report('10 times kill -9'))).toBe('not tested in part: 490 of 500 cases');
    expect(verdict({ ...kills, missing: 'the window' }, report('500 times kill -9'))).toMatch(/the window/);
    expect(verdict({ ...kills, benches: ['b'] }, report('500 times kill -9'), { short: true })).toMatch(
      /whole form/,
    );
    const two = { ...kills, unit: [proof, { ...proof, title: /second/ }] };
    const given = report('500 times kill -9');
    given.testResults.push(report('second', 'pending').testResults[0]);
    expect(verdict(two, given)).toBe('not tested in part: what was skipped here');
  });

  it('whose proofs were all skipped is not tested, whatever the bench would have said', () => {
    const skipped = report('500 times kill -9', 'pending');
    expect(verdict(kills, skipped)).toBe('not tested: what was skipped here; 500 of 500 cases');
    expect(verdict({ ...kills, benches: ['b'] }, skipped, { short: true })).toMatch(/^not tested: /);
    const figures = [{ name: 'f', value: 1, unit: '', bar: '', ok: true }];
    expect(verdict({ ...kills, benches: ['b'] }, skipped, { figures })).toMatch(/^not tested in part: /);
  });

  it('whose only proof is a bench lacks none in the short form', () => {
    const promised = { id: 'P2', says: 's', asked: 'a', benches: ['b'] };
    expect(verdict(promised, report('x'), { short: true })).toBe('not tested in part: b (whole form only)');
    expect(verdict(promised, report('x'))).toBe('FAILED');
  });

  it('failed when a test did, ran nowhere, or a figure missed its bar', () => {
    expect(verdict(kills, report('500 times kill -9', 'failed'))).toBe('FAILED');
    expect(verdict(kills, report('renamed'))).toBe('FAILED');
    const figures = [{ name: 'f', value: 1, unit: '', bar: '≤ 0', ok: false }];
    expect(verdict({ ...kills, benches: ['b'] }, report('500 times kill -9'), { figures })).toBe('FAILED');
    expect(verdict({ ...kills, benches: ['b'] }, report('500 times kill -9'))).toBe('FAILED');
  });

  it('failed when a check found something, and is not whole when it could not look', () => {
    const checked = [{ problems: [], said: ['7 files'], untested: ['signatures'] }];
    expect(verdict(kills, report('500 times kill -9'), { checked })).toBe('not tested in part: signatures');
    expect(verdict(kills, report('500 times kill -9'), { checked: [{ problems: ['x'] }] })).toBe('FAILED');
  });

  it('that nothing tests is called so', () => {
    expect(verdict({ id: 'P5', says: 's', asked: 'a', missing: 'all of it' }, report('x'))).toBe(
      'not tested: all of it',
    );
  });
});

it('a test of the application counts by its own name and by the names above it', () => {
  const spec = (title, status) => ({
    title,
    file: 'lid.spec.ts',
    tests: [{ status, results: [{ duration: 500 }] }],
  });
  const suites = [
    {
      ...{ title: 'lid.spec.ts', file: 'lid.spec.ts', specs: [spec('30 s of sleep', 'expected')] },
      suites: [
        { title: 'clock', file: 'lid.spec.ts', specs: [spec('steps', 'flaky'), spec('off', 'skipped')] },
      ],
    },
  ];
  const tests = testsOf({ suites });
  const proofs = [
    { file: 'e2e/lid.spec.ts', title: /^(\d+) s of/ },
    { file: 'e2e/lid.spec.ts', title: /^clock/ },
  ];
  expect(seenIn(tests, proofs)).toEqual([
    { passed: 1, failed: 0, skipped: 0, cases: 30, seconds: 0.5 },
    { passed: 0, failed: 1, skipped: 1, cases: 0, seconds: 1 },
  ]);
});

it('the table has all nineteen, in order, each with files that are there', () => {
  expect(promises.map(({ id }) => id)).toEqual(Array.from({ length: 19 }, (_, index) => `P${index + 1}`));
  for (const { file } of promises.flatMap(({ unit = [], e2e = [] }) => [...unit, ...e2e]))
    expect(existsSync(join(projectRoot, file))).toBe(true);
  const rows = promises.map(({ id, says, asked }) => ({
    id,
    says,
    asked,
    seen: '',
    seconds: 0,
    verdict: 'ok',
  }));
  expect(tableOf(rows).split('\n')).toHaveLength(20);
});

describe('packages', () => {
  it('of this repository have hashes, known licences and no script that runs', () => {
    expect(checkPackages().problems).toEqual([]);
  });

  it('without them are named', () => {
    const lock = { packages: { '': {}, 'node_modules/a': { license: 'UNKNOWN', hasInstallScript: true } } };
    expect(checkPackages(lock, {}).problems).toEqual([
      'a has no hash.',
      'a has the licence UNKNOWN.',
      'a has an install script that is not refused.',
    ]);
  });
});
