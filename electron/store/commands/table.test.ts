import { afterEach, expect, it } from 'vitest';
import { testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';
import { command } from './command';
import { type CommandName, commands } from './table';
import { readOnlyWriter, writerOver } from './writers';

const names = Object.keys(commands) as CommandName[];

it('a writer over threads asks the thread of each row, with its arguments', async () => {
  const asked: unknown[][] = [];
  const writer = writerOver(
    async (...question) => {
      asked.push(question);
    },
    () => 'late-entry',
  );
  for (const name of names) await (writer[name] as (...args: unknown[]) => Promise<unknown>)(1, 2, 3);
  expect(asked.map(([thread, name]) => [thread, name])).toEqual(
    names.map((name) => [commands[name].thread, name]),
  );
  for (const [, name, args] of asked) {
    const named = commands[name as CommandName].entryAt !== null;
    expect(args, String(name)).toEqual(named ? [1, 2, 3, 'late-entry'] : [1, 2, 3]);
  }
});

it('an entry keeps the name that its asker chose', async () => {
  let given: unknown[] = [];
  const writer = writerOver(
    async (_thread, _name, args) => {
      given = args;
    },
    () => 'late-entry',
  );
  const author = { uuid: 'u', name: 'Ada' };
  await writer.post('run', author, { op: 'run.pause', mode: 'after_step' }, 'chosen');
  expect(given.at(-1)).toBe('chosen');
});

let open: Store | undefined;
afterEach(() => open?.close());

it('a writer of a workspace that is only read refuses what would be recorded, and does the rest', async () => {
  open = testStore();
  const writer = readOnlyWriter(open.writer, '/elsewhere');
  for (const name of names) {
    const { whenReadOnly } = commands[name];
    const answer = (writer[name] as () => Promise<unknown>)();
    if (whenReadOnly === 'passed over') await expect(answer, name).resolves.toBeUndefined();
    else if (whenReadOnly === 'done') await answer;
    else
      await expect(answer, name).rejects.toMatchObject({
        code: 'read_only',
        message: expect.stringContaining(`${whenReadOnly.refused} was refused`),
      });
  }
});

it('a row does not compile until it says what becomes of it in a workspace that is only read', () => {
  // @ts-expect-error: `whenReadOnly` is missing.
  expect(command({ thread: 'index', run: (index): Promise<string> => index.backup() })).toBeDefined();
});
