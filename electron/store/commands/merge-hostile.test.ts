import { execFileSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { describe, expect, inject, it } from 'vitest';
import { bob, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';
import { openDatabase } from '../file/database';
import { CHAIN_START_LINK, chainLink } from '../log/hashing';
import { openStore } from '../threads/client';

async function labelled(folder = temporaryFolder()): Promise<{ store: Store; run: string; folder: string }> {
  const store = testStore(folder);
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('ls', 'out', { exitCode: 0 });
  await store.writer.annotate(bob, { run, from: 1, to: 1 }, { op: 'label', value: 'mask', reason: null });
  return { store, run, folder };
}

/** What is said, and that nothing came; whoever waits for ever fails by vitest's own limit. */
async function refusal(store: Store, path: string): Promise<string> {
  const before = await store.reader.exportAnnotations(join(temporaryFolder(), 'labels.jsonl'));
  const said = await store.writer.merge(path).then(
    () => 'taken',
    (thrown: Error) => thrown.message,
  );
  expect(await store.reader.exportAnnotations(join(temporaryFolder(), 'labels.jsonl'))).toBe(before);
  return said;
}

describe.runIf(process.platform !== 'win32')('what is named for a merge and is no regular file', () => {
  it('is refused at once: a pipe, a device, a socket, a link', async () => {
    const store = testStore();
    const path = join(temporaryFolder(), 'labels.jsonl');
    const refuses = async (why: string, make: () => void) => {
      make();
      expect(await refusal(store, path)).toBe(`${path} ${why}. Nothing was merged.`);
      rmSync(path, { recursive: true, force: true });
    };
    await refuses('is not a regular file', () => execFileSync('mkfifo', [path]));
    await refuses('is a link, and links are not followed', () => symlinkSync('/dev/zero', path));
    await refuses('is a link, and links are not followed', () => symlinkSync('/etc/passwd', path));
    await refuses('is larger than 512 MB', () => {
      writeFileSync(path, '');
      truncateSync(path, 900_000_000_000);
    });
    expect(await refusal(store, '/dev/zero')).toBe('/dev/zero is not a regular file. Nothing was merged.');
    const server = createServer().listen(path);
    await new Promise((resolve) => server.once('listening', resolve));
    expect(await refusal(store, path)).toContain('is not a regular file');
    await new Promise((resolve) => server.close(resolve));
  });

  it.each([
    ...['workspace.db', 'workspace.db-wal', 'workspace.db-shm', 'workspace.db-journal'],
  ])('is refused as %s of a folder', async (part) => {
    const { store, folder } = await labelled();
    await store.close();
    const mine = testStore();
    rmSync(join(folder, part), { force: true });
    execFileSync('mkfifo', [join(folder, part)]);
    expect(await refusal(mine, folder)).toMatch(/not a (regular )?file/);
  });
});

describe('a folder that looks like a workspace', () => {
  it('whose log is a view without end is refused before it is asked', async () => {
    const { store, folder } = await labelled();
    await store.drain();
    await store.close();
    for (const [index, sql] of [
      `CREATE VIEW annotation AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
       SELECT 'd' AS device, i AS device_seq, 'u' AS ulid, 1 AS run, '' AS body, x'' AS hash, 0 AS purged FROM n WHERE i < 0`,
      'CREATE TABLE annotation (device TEXT)',
    ].entries()) {
      const copy = join(temporaryFolder(), `copy${index}`);
      cpSync(folder, copy, { recursive: true });
      const db = openDatabase(join(copy, 'workspace.db'));
      for (const { name } of db
        .prepare("SELECT name FROM sqlite_schema WHERE type IN ('trigger', 'view')")
        .all() as { name: string }[])
        db.exec(`DROP TRIGGER IF EXISTS "${name}"`);
      db.exec('ALTER TABLE annotation RENAME TO was');
      db.exec(sql);
      db.close();
      const mine = testStore();
      expect(await refusal(mine, copy)).toMatch(/is damaged|is not a Waymark workspace/);
      await mine.close();
    }
  });

  it('is merged through a link to it', async () => {
    const { store, folder } = await labelled();
    await store.close();
    const link = join(temporaryFolder(), 'link');
    mkdirSync(join(link, '..'), { recursive: true });
    symlinkSync(folder, link);
    expect(await testStore().writer.merge(link)).toMatchObject({ kept: { entries: 1 } });
  });
});

/** A log of `count` labels on one step, by one device, as `label export` writes it. */
function longLog(path: string, run: string, count: number, note: string): void {
  const file = openSync(path, 'w');
  let hash: string = CHAIN_START_LINK;
  let text = '{"format":"waymark-annotations","version":1}\n';
  for (let index = 1; index <= count; index += 1) {
    const body = JSON.stringify({
      ...{ ulid: ulid(), author: bob, at: 1, supersedes: [], device: 'elsewhere', deviceSeq: index },
      ...{ target: { run, from: 1, to: 1 }, body: { op: 'comment', text: `${index} ${note}` } },
    });
    hash = chainLink(hash, body);
    text += `${JSON.stringify({ hash, body })}\n`;
    if (text.length > 1_000_000) {
      writeSync(file, text);
      text = '';
    }
  }
  writeSync(file, `${text}{"entries":${count}}\n`);
  closeSync(file);
}

describe('another log in a thread of its own', () => {
  it('says the same as one read here, also when it is too long to keep', { timeout: 120_000 }, async () => {
    const { store, run, folder } = await labelled();
    await store.drain();
    await store.close();
    const file = join(temporaryFolder(), 'labels.jsonl');
    longLog(file, run, 10, 'x'.repeat(1_000_000));
    const reports = [];
    for (const apart of [false, true]) {
      const copy = join(temporaryFolder(), 'copy');
      cpSync(folder, copy, { recursive: true });
      const mine = apart ? await openStore(copy, { workerDir: inject('storeWorkers') }) : testStore(copy);
      reports.push(await mine.writer.merge(file));
      expect(await mine.writer.merge(file)).toMatchObject({ added: 0, known: 10 });
      await expect(mine.writer.merge(join(copy, 'none'))).rejects.toMatchObject({ code: 'not_found' });
      if (apart) {
        const other = await labelled();
        const backup = await other.store.writer.backup();
        expect(await mine.writer.merge(backup)).toMatchObject({ kept: { entries: 1 } });
        expect(await mine.writer.merge(other.folder)).toMatchObject({ known: 1 });
      }
      const { workspace, runs } = await mine.reader.verify();
      expect([...workspace, ...runs.flatMap(({ problems }) => problems)]).toEqual([]);
      await mine.close();
    }
    expect(reports[0]).toMatchObject({ added: 10, known: 0 });
    expect(reports[1]).toEqual(reports[0]);
  });

  it('keeps nobody who writes waiting, whatever it holds, and nothing is taken of one that breaks at its end', async () => {
    const { store, run, folder } = await labelled();
    await store.close();
    const file = join(temporaryFolder(), 'labels.jsonl');
    longLog(file, run, 10_000, 'x'.repeat(4_000));
    // The last entry was changed after it was stored.
    const end = Buffer.from('y');
    const handle = openSync(file, 'r+');
    writeSync(handle, end, 0, 1, statSync(file).size - 60);
    closeSync(handle);
    const mine = await openStore(folder, { workerDir: inject('storeWorkers') });
    let over = false;
    const merging = mine.writer.merge(file).catch((thrown: Error) => thrown);
    void merging.then(() => {
      over = true;
    });
    // 40 MB are read and checked meanwhile: in the writing thread the first word would have waited for all of it.
    for (const text of ['one', 'two', 'three']) {
      await mine.writer.annotate(bob, { run, from: 1, to: 1 }, { op: 'comment', text });
      expect(over).toBe(false);
    }
    expect(await merging).toMatchObject({
      code: 'workspace_corrupt',
      message: expect.stringContaining('Nothing was merged'),
    });
    expect(await mine.reader.exportAnnotations(join(temporaryFolder(), 'out.jsonl'))).toBe(4);
    await mine.close();
  });
});
