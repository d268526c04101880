import { expect, test } from 'vitest';
import type { StoreNotice } from '../store/notices';
import { Troubles } from './troubles';

const full: StoreNotice = { kind: 'problem', code: 'disk_full', message: 'Work goes on by itself.' };
const damaged: StoreNotice = { kind: 'unreadable', run: 'R', code: 'workspace_corrupt', message: 'Run R.' };

function told(waits: boolean, failed: string | null): string[] {
  const lines: string[] = [];
  const troubles = new Troubles({ err: (line) => lines.push(line) }, waits);
  for (const notice of [full, damaged, full]) troubles.tell(notice);
  if (waits) expect(lines).toHaveLength(2);
  troubles.end(failed);
  return lines;
}

test('a command that fails of a trouble says so once, in its own words', () => {
  expect(told(false, 'disk_full')).toEqual(['workspace_corrupt: Run R.']);
});

test('any other end leaves the trouble to be named', () => {
  const both = ['disk_full: Work goes on by itself.', 'workspace_corrupt: Run R.'];
  expect(told(false, null)).toEqual(both);
  expect(told(false, 'bad_input')).toEqual(both);
  expect(told(true, 'disk_full')).toEqual(both);
});
