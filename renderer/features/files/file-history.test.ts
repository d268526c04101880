import type { StepDetail } from '@shared/contract/views';
import { expect, test } from 'vitest';
import { fileAt, shortPath, unrecordedEdits } from './file-history';

const file = (path: string) => ({ computer: 'local', path });

test('a step opens a file it changed, else the one changed last', () => {
  expect(fileAt([file('/w/new'), file('/w/old')], [file('/w/old')])).toEqual(file('/w/old'));
  expect(fileAt([file('/w/new'), file('/w/old')], [])).toEqual(file('/w/new'));
  expect(fileAt([], [])).toBeNull();
});

test('paths stand without the folder that all of a run have', () => {
  expect(shortPath('/home/a/runs/R1/work/src/a.py', 'R1')).toBe('src/a.py');
  expect(shortPath('/etc/hosts', 'R1')).toBe('/etc/hosts');
});

test('an edit without a revision is one of the step, with the lines its action reported', () => {
  const observation = (name: string, path: string, more = {}) => ({
    name,
    ok: true,
    data: { path },
    text: '{"removed_context": "", "added_context": "7|new"}',
    ...more,
  });
  const step = (observations: object[], files: object[] = []) =>
    unrecordedEdits({ observations, files } as unknown as StepDetail);
  const told = { path: '/w/a', first: 7, removed: '', added: 'new\n' };
  expect(step([observation('edit_file', '/w/a')])).toEqual([{ computer: '', path: '/w/a', told: [told] }]);
  expect(step([observation('edit_file', '/w/a', { text: 'edited' })])).toEqual([
    { computer: '', path: '/w/a', told: [] },
  ]);
  expect(step([observation('edit_file', '/w/a')], [{ path: '/w/a' }])).toEqual([]);
  expect(step([observation('edit_file', '/w/a', { ok: false })])).toEqual([]);
  expect(step([observation('open_file', '/w/a')])).toEqual([]);
});
