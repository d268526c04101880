import type { BackupRow } from '@shared/contract/ipc/restore';
import { expect, it } from 'vitest';
import { type RestoreHandlerOptions, restoreHandlers } from './restore';

function stand() {
  let begun = 0;
  let answer: (rows: BackupRow[]) => void = () => undefined;
  const never = () => Promise.reject(new Error('Nobody chose a folder.'));
  const options: RestoreHandlerOptions = {
    holder: { failed: '/w', current: null },
    list: () => {
      begun += 1;
      return new Promise((resolve) => {
        answer = resolve;
      });
    },
    chooseTarget: async () => null,
    restore: never,
    open: never,
  };
  return { handlers: restoreHandlers(options), begun: () => begun, answer: () => answer([]) };
}

it('a page that asks for backups a thousand times at once begins one look, and the next after it', async () => {
  const { handlers, begun, answer } = stand();
  const asked = Array.from({ length: 1_000 }, () => handlers['workspace.backups'](undefined));
  const restores = Array.from({ length: 1_000 }, () => handlers['workspace.restore']({ backup: '../x' }));
  expect(begun()).toBe(1);
  answer();
  expect(await Promise.all(asked)).toHaveLength(1_000);
  const refused = (await Promise.allSettled(restores)).filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(1_000);
  const again = handlers['workspace.backups'](undefined);
  expect(begun()).toBe(2);
  answer();
  expect(await again).toEqual({ folder: '/w', backups: [] });
});
