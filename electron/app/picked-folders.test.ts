import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PickedFolders } from './picked-folders';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'waymark-picked-')));
  for (const folder of ['shared', 'keys/.ssh', 'workspace'])
    mkdirSync(join(base, folder), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function picking(path: string | null) {
  const asked: boolean[] = [];
  const picked = new PickedFolders({
    choose: async (write) => {
      asked.push(write);
      return path === null ? null : join(base, path);
    },
    places: () => ({ data: join(base, 'data'), workspace: join(base, 'workspace') }),
  });
  return { picked, asked };
}

test('a folder is started with by the name that its choice got, as it was chosen', async () => {
  const { picked, asked } = picking('shared');
  const found = await picked.pick(false);
  expect(found).toMatchObject({ path: join(base, 'shared'), write: false });
  expect(picked.named(found?.id ?? '')).toEqual({ path: join(base, 'shared'), write: false });
  const changed = await picked.pick(true);
  expect(picked.named(changed?.id ?? '').write).toBe(true);
  expect(asked).toEqual([false, true]);
});

test('what no sandbox shows is refused at once, by the rule of --show', async () => {
  for (const path of ['workspace', 'keys/.ssh']) {
    await expect(picking(path).picked.pick(false), path).rejects.toMatchObject({ code: 'refused' });
  }
});

test('nothing is chosen by a name that nobody chose, or when the dialog was cancelled', async () => {
  const { picked } = picking(null);
  expect(await picked.pick(true)).toBeNull();
  expect(() => picked.named('01KS0VTS1DER00000000000001')).toThrow(/Choose it again/);
});
