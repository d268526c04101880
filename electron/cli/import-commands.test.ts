import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { readApart } from '../dataset/importers/import-thread';
import { author } from '../testing/engine-stand';
import { testStore } from '../testing/store-fixtures';
import { parseArguments } from './arguments';
import type { CliContext } from './context';
import { importCommand } from './import-commands';

const node = join(import.meta.dirname, '../../e2e/fixtures/researchgym/react-node-real-depth70.json');

test('takes a node into the workspace and says what it could not take', async () => {
  const store = testStore();
  const context = { store, reader: store.reader, author } as unknown as CliContext;
  const imported = (...words: string[]) =>
    importCommand(context, parseArguments(['import', ...words]), readApart(inject('storeWorkers')));
  const done = await imported(node, '--title', 'A real node');
  const { run } = done.json as { run: string };
  expect(done.lines.slice(0, 2)).toEqual([
    `Imported as run ${run}: A real node`,
    '69 steps, 1 segment, 0 hints',
  ]);
  expect(done.lines.join('\n')).toContain('Not imported:');
  expect((await store.reader.run(run)).title).toBe('A real node');
  await expect(imported(node)).rejects.toThrow('--again');
  await expect(imported(node, '--format', 'other')).rejects.toThrow('--format is "other"');
  await expect(imported()).rejects.toThrow('is missing');
});
