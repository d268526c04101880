import { expect, test } from 'vitest';
import { openDatabase } from '../store/file/database';
import { workspaceFile } from '../store/file/workspace-file';
import { createRun, RunWriter } from '../testing/run-writer';
import { temporaryFolder, testStore } from '../testing/store-fixtures';
import { parseArguments } from './arguments';
import type { CliContext } from './context';
import { rebuildCommand } from './rebuild-command';

test('a run that cannot be read does not keep the others from being rebuilt, and is named at the end', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const runs: string[] = [];
  for (const word of ['one', 'two', 'three']) {
    const writer = new RunWriter(store, await createRun(store));
    await writer.start();
    await writer.command(`echo ${word}`, word, { exitCode: 0 });
    runs.push(writer.run);
  }
  const [before = '', broken = '', after = ''] = runs;
  const db = openDatabase(workspaceFile(folder));
  db.exec('DROP TRIGGER event_no_update');
  db.prepare(
    `UPDATE event SET body = '{"damaged' WHERE id = (SELECT id FROM run WHERE ulid = ?) * 4294967296 + 5`,
  ).run(broken);
  db.close();
  const terminal = { out: () => undefined, err: () => undefined };
  const context = { store, reader: store.reader, terminal } as unknown as CliContext;
  const rebuild = (...argv: string[]) => rebuildCommand(context, parseArguments(['rebuild', ...argv]));

  const all = await rebuild();
  expect(all).toMatchObject({
    exitCode: 1,
    json: { unreadable: [{ run: broken, code: 'workspace_corrupt' }] },
  });
  expect([...all.lines.slice(0, 2)].sort()).toEqual(
    [before, after].sort().map((run) => `${run}  matches its log`),
  );
  expect(all.lines.slice(2)).toEqual([
    expect.stringContaining(`${broken}  was not rebuilt: Event 5 of run ${broken} cannot be read.`),
  ]);
  expect(await rebuild(before)).toMatchObject({
    json: { runs: [{ run: before, changed: 0 }], unreadable: [] },
  });
});
