import { expect, inject, test } from 'vitest';
import { temporaryFolder } from '../testing/store-fixtures';
import { openStore } from './threads/client';

/** Methods are passed on by name: one that a thread does not list would only be missed in the window. */
test('every method of reader and writer is known to the thread that answers it', async () => {
  const store = await openStore(temporaryFolder(), { workerDir: inject('storeWorkers'), ballastBytes: 0 });
  const unknown: string[] = [];
  for (const [side, methods] of Object.entries({ reader: store.reader, writer: store.writer })) {
    for (const [name, method] of Object.entries(methods) as [string, () => Promise<unknown>][]) {
      const said = await Promise.resolve()
        .then(() => method())
        .then(
          () => '',
          (thrown: Error) => thrown.message,
        );
      if (said.includes('knows no method')) unknown.push(`${side}.${name}`);
    }
  }
  expect(unknown).toEqual([]);
  expect(Object.keys(store.reader).length).toBeGreaterThan(40);
  await store.close();
});
