import { expect, test } from 'vitest';
import { lockDifference } from './dependencies.mjs';

const a = { version: '1.0.0', integrity: 'sha512-a' };
const otherPlatform = { version: '2.0.0', integrity: 'sha512-b', optional: true };
const lock = { packages: { '': {}, 'node_modules/a': a, 'node_modules/b': otherPlatform } };
const everywhere = () => true;

test('an installation without packages for other platforms matches', () => {
  expect(lockDifference(lock, { packages: { 'node_modules/a': a } }, everywhere)).toBeUndefined();
});

test.each([
  ['nothing', undefined, everywhere, /nothing is installed/],
  ['a missing package', { packages: {} }, everywhere, /node_modules\/a is not installed/],
  [
    'another version',
    { packages: { 'node_modules/a': { ...a, version: '1.0.1' } } },
    everywhere,
    /another version/,
  ],
  [
    'other bytes',
    { packages: { 'node_modules/a': { ...a, integrity: 'sha512-x' } } },
    everywhere,
    /another version/,
  ],
  ['an emptied folder', { packages: { 'node_modules/a': a } }, () => false, /damaged/],
  [
    'a package too many',
    { packages: { 'node_modules/a': a, 'node_modules/c': a } },
    everywhere,
    /node_modules\/c is not in the lock/,
  ],
])('%s asks for npm ci', (_name, installed, isThere, reason) => {
  expect(lockDifference(lock, installed, isThere)).toMatch(reason);
});
