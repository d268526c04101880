import { expect, test } from 'vitest';
import { smallDisk, takeAllFiles } from '../testing/small-disk';
import { testStore } from '../testing/store-fixtures';
import { markBranching } from './branch-leavings';

test('a branch on a disk with no file left to make is refused as on a full disk', async (context) => {
  const disk = smallDisk('size=8m,nr_inodes=60');
  if (disk === null) return context.skip('mounting a small file system needs root on Linux');
  const store = testStore(disk);
  takeAllFiles(disk);
  await expect(markBranching(store, '01JQZZZZZZZZZZZZZZZZZZZZZZ', [])).rejects.toMatchObject({
    code: 'disk_full',
  });
});
