import { expect, test } from 'vitest';
import { alice, createRun } from '../../testing/run-writer';
import { testStore } from '../../testing/store-fixtures';
import type { StoreReader } from '../api';
import { query } from './query';
import { readerFor } from './reader-for';
import { queries } from './table';

const length = (_reads: unknown, run: string, from: number) => run.length + from;

test('a read does not compile until its row says what a blind reader gets, and then it is asked with its own arguments', () => {
  query({ thread: 'read', blind: 'holds no opinions', run: length });
  query({ thread: 'read', blind: async (_view, read, run, from) => read(run, from), run: length });
  // @ts-expect-error: nobody has said what is withheld.
  query({ thread: 'read', run: length });
  // @ts-expect-error: no statement that is known.
  query({ thread: 'read', blind: 'nothing', run: length });
  // @ts-expect-error: withholds something else than the read answers.
  query({ thread: 'read', blind: async () => 'a text', run: length });
  const read = (reader: StoreReader) => [
    reader.heads('run', 1, 2),
    // @ts-expect-error: the derived reader takes what the row's function takes.
    reader.heads('run', '1', 2),
    // @ts-expect-error: no such read.
    reader.head('run', 1),
  ];
  expect(read).toBeTypeOf('function');
});

test("a person's reader has every read of the table; those that are never for a window are refused", async () => {
  const store = testStore();
  const run = await createRun(store);
  const seen = readerFor(store.reader, alice);
  expect(Object.keys(seen)).toEqual(Object.keys(queries));
  for (const [name, { blind }] of Object.entries(queries)) {
    const plain = store.reader[name as keyof StoreReader];
    expect(seen[name as keyof StoreReader] === plain, name).toBe(
      blind === 'holds no opinions' || blind === 'answers for the person it names',
    );
  }
  await expect(seen.exportAnnotations('/nowhere')).rejects.toMatchObject({ code: 'bug' });
  expect(await seen.outboxHead(run)).toBe(0);
});
