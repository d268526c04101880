import { describe, expect, test } from 'vitest';
import * as application from '../../electron/store/file/native-binding.ts';
import { cacheFolder } from './cache-folder.mjs';
import { rebuiltBinding } from './sqlite.mjs';

const cases = [
  { env: { WAYMARK_CACHE: '/x' }, platform: 'linux', home: '/home/a', uid: 1000, folder: '/x' },
  { env: { XDG_CACHE_HOME: '/c' }, platform: 'linux', home: '/home/a', uid: 0, folder: '/c/waymark' },
  { env: {}, platform: 'linux', home: '/root', uid: 0, folder: '/var/cache/waymark' },
  { env: {}, platform: 'linux', home: '/home/a', uid: 1000, folder: '/home/a/.cache/waymark' },
  { env: {}, platform: 'darwin', home: '/Users/a', uid: 501, folder: '/Users/a/Library/Caches/waymark' },
];

describe.each(cases)('$platform $uid $env', ({ folder, ...facts }) => {
  test('set-up and the application agree on the folder', () => {
    expect(cacheFolder(facts)).toBe(folder);
    expect(application.cacheFolder(facts)).toBe(folder);
  });

  test('set-up builds where the application looks', () => {
    expect(application.rebuiltBinding({ ...facts, arch: 'x64' })).toBe(
      rebuiltBinding({ ...facts, arch: 'x64' }),
    );
  });
});
