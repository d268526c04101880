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
    expect(await refusal(mine, folder)).toMatch(/not a (regular )?file|neither a file/);
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

/** A log of one device that holds these entries, as `label export` writes it. */
function logOf(path: string, run: string, entries: readonly Record<string, unknown>[]): void {
  let hash: string = CHAIN_START_LINK;
  const lines = entries.map((entry, index) => {
    const body = JSON.stringify({
      ulid: ulid(),
      at: 1,
      author: bob,
      device: 'd',
      deviceSeq: index + 1,
      target: { run, from: 1, to: 1 },
      supersedes: [],
      body: { op: 'label', value: 'train', reason: null },
      ...entry,
    });
    hash = chainLink(hash, body);
    return JSON.stringify({ hash, body });
  });
  const head = JSON.stringify({ format: 'waymark-annotations', version: 1 });
  writeFileSync(path, [head, ...lines, JSON.stringify({ entries: lines.length }), ''].join('\n'));
}

describe('an entry that no Waymark wrote', () => {
  const same = ulid();
  it.each<[string, Record<string, unknown>[], RegExp]>([
    ['two with one id', [{ ulid: same }, { ulid: same }], /entry 2 of device d .* has the id of another/i],
    ['a name of 5 MB', [{ author: { uuid: 'u', name: 'n'.repeat(5e6) } }], /name of its author is longer/],
    [
      'a reason of 10 MB',
      [{ body: { op: 'label', value: 'mask', reason: 'r'.repeat(1e7) } }],
      /the reason is longer than 10000 characters/,
    ],
    ['a device of 1 MB', [{ device: 'd'.repeat(1e6) }], /name of its device is longer/],
    ['a device like a path', [{ device: '../../x' }], /holds a slash/],
    ['a time after all times', [{ at: 9e15 }], /its time 9000000000000000 is none/],
    ['a time before all times', [{ at: -1 }], /its time -1 is none/],
    ['a comment of 1 MB', [{ body: { op: 'comment', text: 'c'.repeat(1e6) } }], /the comment is longer/],
    ['an unknown kind', [{ body: { op: 'shout' } }], /is of a kind this application does not know/],
  ])('%s: the log is refused by name', async (_, entries, why) => {
    const { store, run } = await labelled();
    const path = join(temporaryFolder(), 'labels.jsonl');
    logOf(path, run, entries);
    const said = await refusal(store, path);
    expect(said).toMatch(why);
    expect(said).toContain('Nothing was merged.');
    expect(said.length).toBeLessThan(600);
  });

  it('nested two million deep is refused before it is parsed', async () => {
    const { store } = await labelled();
    const path = join(temporaryFolder(), 'labels.jsonl');
    const head = JSON.stringify({ format: 'waymark-annotations', version: 1 });
    writeFileSync(path, `${head}\n${'['.repeat(2_000_000)}\n{"entries":1}\n`);
    const begun = process.cpuUsage();
    expect(await refusal(store, path)).toContain('Line 2 of');
    const { user } = process.cpuUsage(begun);
    expect(user).toBeLessThan(5_000_000);
  });

  it('is refused here too, when somebody says it', async () => {
    const { store, run } = await labelled();
    const say = store.writer.annotate(
      bob,
      { run, from: 1, to: 1 },
      { op: 'label', value: 'mask', reason: 'r'.repeat(20_000) },
    );
    await expect(say).rejects.toMatchObject({
      code: 'bad_input',
      message: 'This was not stored: the reason is longer than 10000 characters. Shorten it.',
    });
  });
});

it.runIf(process.platform !== 'win32')('a folder whose log is a link is not followed', async () => {
  const { store, folder } = await labelled();
  await store.close();
  const other = temporaryFolder();
  symlinkSync(join(folder, 'workspace.db'), join(other, 'workspace.db'));
  expect(await refusal(testStore(), other)).toMatch(/workspace\.db is a link/);
});

/** A log of `count` labels on one step, by one device, as `label export` writes it. */
function longLog(path: string, run: string, count: number, note: string): void {
  const file = openSync(path, 'w');
  let hash: string = CHAIN_START_LINK;
  let text = '{"format":"waymark-annotations","version":1}\n';
  for (let index = 1; index <= count; index += 1) {
    const body = JSON.stringify({
      ulid: ulid(),
      author: bob,
      at: 1,
      supersedes: [],
      device: 'elsewhere',
      deviceSeq: index,
      target: { run, from: 1, to: 1 },
      body: { op: 'comment', text: `${index} ${note}` },
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
    longLog(file, run, 100, 'x'.repeat(90_000));
    const reports = [];
    for (const apart of [false, true]) {
      const copy = join(temporaryFolder(), 'copy');
      cpSync(folder, copy, { recursive: true });
      const mine = apart ? await openStore(copy, { workerDir: inject('storeWorkers') }) : testStore(copy);
      reports.push(await mine.writer.merge(file));
      expect(await mine.writer.merge(file)).toMatchObject({ added: 0, known: 100 });
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
    expect(reports[0]).toMatchObject({ added: 100, known: 0 });
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
