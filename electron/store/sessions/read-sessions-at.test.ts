import type { NewEvent } from '@shared/log/events';
import { expect, test } from 'vitest';
import { createRun, RunWriter } from '../../testing/run-writer';
import { testStore } from '../../testing/store-fixtures';

const opened = (session: string, uid: string): NewEvent => ({
  kind: 'session.opened',
  body: { computer: 'local', session, uid, rows: 24, cols: 80 },
});
const ended = (session: string, uid: string, exitCode: number): NewEvent => ({
  kind: 'session.ended',
  body: { computer: 'local', session, uid, exitCode, endOffset: 40 },
});

test('sessions are as they were at a step: not yet there, open with their offset and state, or ended', async () => {
  const store = testStore();
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  const at = (step: number) => store.reader.sessionsAt(run, step);
  await writer.start();
  await writer.command('ls', 'a', { exitCode: 0, data: { session: 'none' } });
  expect(await at(1)).toEqual([]);
  await writer.command('train', '', { events: [opened('main', 'one')], data: { async: true } });
  await writer.command('look', '', { tool: 'check', data: { state: 'waiting', command: undefined } });
  await writer.command('ls', '', { exitCode: 1, events: [opened('other', 'two')] });
  await writer.record([ended('main', 'one', 129), opened('main', 'three')]);
  await writer.command('pwd', '', { exitCode: 0 });
  await store.writer.sessionBytes(run, 1, 'one', {
    offset: 0,
    bytes: Buffer.alloc(40),
    receivedAt: 1,
    hostAt: null,
  });
  const main = { uid: 'one', exitCode: null };
  expect(await at(2)).toEqual([{ ...main, endOffset: 20, state: 'busy', command: 'train' }]);
  expect(await at(3)).toEqual([{ ...main, endOffset: 30, state: 'waiting', command: 'train' }]);
  expect(await at(4)).toMatchObject([
    { ...main, endOffset: 40, state: 'idle', command: 'ls' },
    { uid: 'two', endOffset: 0, state: 'unknown', exitCode: null },
  ]);
  // The name was given again: the offset of the step is the new session's.
  expect(await at(5)).toMatchObject([
    { uid: 'one', endOffset: 40, state: 'ended', exitCode: 129 },
    { uid: 'two' },
    { uid: 'three', endOffset: 50, state: 'idle', exitCode: null },
  ]);
  // What is being thought about has everything behind it.
  await writer.request();
  expect(await at(6)).toEqual(await at(5));
});
