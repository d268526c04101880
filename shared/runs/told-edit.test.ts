import { expect, it } from 'vitest';
import { toldEdit } from './told-edit';

const path = '/w/config.yaml';
const observed = (told: object) => ({ ok: true, text: JSON.stringify(told), data: { path } });

it('an observation that carries its difference tells the lines without their numbers', () => {
  const told = { removed_context: '11|a: 1\n12|b: |', added_context: '11|a: 2' };
  expect(toldEdit(observed(told))).toEqual({ path, first: 11, removed: 'a: 1\nb: |\n', added: 'a: 2\n' });
  expect(toldEdit(observed({ removed_context: '', added_context: '250|end' }))).toEqual({
    path,
    first: 250,
    removed: '',
    added: 'end\n',
  });
  expect(toldEdit(observed({ removed_context: '3|', added_context: '' }))).toMatchObject({ removed: '\n' });
});

it('nothing is made up where none is carried', () => {
  const told = { removed_context: '1|a', added_context: '1|b' };
  expect(toldEdit(observed({ message: 'done' }))).toBeNull();
  expect(toldEdit(observed({ removed_context: '', added_context: '' }))).toBeNull();
  expect(toldEdit(observed({ ...told, removed_context: '1|a\n7|b' }))).toBeNull();
  expect(toldEdit(observed({ ...told, removed_context: 'no number' }))).toBeNull();
  expect(toldEdit({ ...observed(told), ok: false })).toBeNull();
  expect(toldEdit({ ...observed(told), data: {} })).toBeNull();
  expect(toldEdit({ ok: true, text: 'it says "added_context"', data: { path } })).toBeNull();
});
