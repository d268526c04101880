import { expect, test } from 'vitest';
import { nodeApiOfElectron, runtimeCandidates } from './runtime-choice.mjs';

const hour = 60 * 60 * 1000;
const facts = {
  wish: undefined,
  officialInstalled: false,
  fallbackReady: false,
  fallbackPossible: true,
  downloadFailedAt: undefined,
  now: 100 * hour,
};

test.each([
  ['the installed official one comes first', { officialInstalled: true, fallbackReady: true }, ['installed']],
  ['else its download, then the fallback', {}, ['download', 'fallback']],
  ['without a fallback for this machine, the download only', { fallbackPossible: false }, ['download']],
  [
    'a download that failed an hour ago is not tried again',
    { fallbackReady: true, downloadFailedAt: 99 * hour },
    ['fallback'],
  ],
  ['a day later it is', { fallbackReady: true, downloadFailedAt: 75 * hour }, ['download', 'fallback']],
  [
    'a failed download without a fallback at hand is tried again',
    { downloadFailedAt: 99 * hour },
    ['download', 'fallback'],
  ],
  ['official by hand', { wish: 'official', fallbackReady: true, downloadFailedAt: 99 * hour }, ['download']],
  ['fallback by hand', { wish: 'fallback', officialInstalled: true }, ['fallback']],
  ['a path by hand', { wish: '/opt/electron', officialInstalled: true }, [{ path: '/opt/electron' }]],
])('%s', (_name, given, candidates) => {
  expect(runtimeCandidates({ ...facts, ...given })).toEqual(candidates);
});

test.each([
  ['25.1.1', 8],
  ['35.0.0', 8],
  ['36.0.0', 10],
  ['45.4.1', 10],
])('Electron %s has Node-API %i as far as we rely on it', (version, nodeApi) => {
  expect(nodeApiOfElectron(version)).toBe(nodeApi);
});
