import { expect, test } from 'vitest';
import { removalCommand } from './copy-program';

test('checkpoints on a host are removed for a run, not for a path', () => {
  expect(removalCommand({ base: null, run: '01ARZ3NDEKTSV4RRFFQ69G5FAV' })).toMatch(
    /^rm -rf .*01ARZ3NDEKTSV4RRFFQ69G5FAV'?$/,
  );
  for (const run of ['..', '../../thesis', '', '.']) {
    expect(() => removalCommand({ base: null, run }), run).toThrow(/not a valid name/);
  }
});
