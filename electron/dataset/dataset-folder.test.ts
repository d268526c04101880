import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../testing/store-fixtures';
import { DatasetFolder } from './dataset-folder';

const target = () => join(temporaryFolder(), 'dataset');

it('a second export to the same folder is refused while the first writes, and told whose it is', async () => {
  const out = target();
  const first = await DatasetFolder.begin(out);
  await expect(DatasetFolder.begin(out)).rejects.toMatchObject({
    code: 'conflict',
    message: `Another export is being written to ${out}, by process ${process.pid}. Wait until it is done, or name another folder.`,
  });
  expect(await readdir(dirname(out))).toHaveLength(1);
  await first.abandon();
  const second = await DatasetFolder.begin(out);
  await second.abandon();
  expect(await readdir(dirname(out))).toEqual([]);
});

it('of two that begin in the same moment at most one goes on, and the other leaves nothing', async () => {
  for (let round = 0; round < 20; round += 1) {
    const out = target();
    const both = await Promise.allSettled([DatasetFolder.begin(out), DatasetFolder.begin(out)]);
    const begun = both.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const refused = both.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(begun.length).toBeLessThan(2);
    for (const reason of refused) expect(reason).toMatchObject({ code: 'conflict' });
    for (const folder of begun) await folder.abandon();
    expect(await readdir(dirname(out))).toEqual([]);
  }
});

it('what a process that is gone left beside the folder is in nobody’s way', async () => {
  const out = target();
  await mkdir(`${out}.partial-999999999-0123abcd/dataset`, { recursive: true });
  const folder = await DatasetFolder.begin(out);
  expect(await readdir(dirname(out))).toHaveLength(1);
  await folder.abandon();
});
