import { expect, test } from 'vitest';
import { fileAt, shortPath } from './file-history';

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
