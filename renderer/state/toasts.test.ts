import { beforeEach, expect, test } from 'vitest';
import { CallError } from '../api';
import { en } from '../text/en';
import { dismissFailures, toastFailure, useToasts } from './toasts';

const failed = (code: 'read_only' | 'refused', message: string) =>
  toastFailure(new CallError('test', { code, message }));
const shown = () => useToasts.getState().toasts.map(({ say }) => say(en));

beforeEach(() => useToasts.setState({ toasts: [] }));

test('what a read-only workspace refuses is one toast, the one of the last try', () => {
  failed('read_only', 'labelling was refused');
  failed('refused', 'another thing');
  failed('read_only', 'labelling was refused');
  failed('read_only', 'undoing was refused');
  expect(shown()).toHaveLength(2);
  expect(shown()[0]).toContain('another thing');
  expect(shown()[1]).toContain('undoing was refused');
});

test('the same failure again replaces itself; others stay beside it', () => {
  failed('refused', 'one');
  failed('refused', 'two');
  failed('refused', 'one');
  expect(shown()).toHaveLength(2);
  expect(shown()[1]).toContain('one');
});

test('failures whose reason is gone go by their code', () => {
  failed('refused', 'one');
  failed('read_only', 'two');
  dismissFailures('read_only');
  expect(shown()).toHaveLength(1);
});
