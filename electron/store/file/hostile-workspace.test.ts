import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { ulid } from 'ulid';
import { beforeEach, describe, expect, it } from 'vitest';
import { WORKSPACE_PARTS } from '../../files/workspace-paths';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import type { StoreNotice } from '../notices';
import { decodeBlob } from './blob-store';
import { openDatabase } from './database';
import { isFromElsewhere, openForReading, workspaceFile } from './workspace-file';

/** A workspace that somebody else made, beside the home of the person who opens it. */
let base: string;
let folder: string;
let home: string;

beforeEach(() => {
  base = temporaryFolder();
  folder = join(base, 'workspace');
  home = join(base, 'home');
  mkdirSync(join(home, 'Documents'), { recursive: true });
  writeFileSync(join(home, 'Documents', 'thesis.txt'), 'years of work');
});

/** 26 characters that lead from `sessions/` or `locks/` to the person's home, or as near as they may. */
const CRAFTED = '../../home/./././././././.';

function change(...statements: string[]): void {
  const db = openDatabase(workspaceFile(folder));
  for (const sql of statements) db.exec(sql);
  db.close();
}

/** As an attacker writes rows: no trigger is in the way. */
const unchecked = [
  'run_id_checked',
  'outbox_id_checked',
  'annotation_id_checked',
  'kept_annotation_id_checked',
].map((name) => `DROP TRIGGER IF EXISTS ${name}`);

async function withOneRun(): Promise<string> {
  const store = testStore(folder);
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('echo hello', 'hello', { exitCode: 0 });
  await writer.hint('go on');
  await store.close();
  return run;
}

const untouched = () => {
  expect(readdirSync(home, { recursive: true })).toEqual(['Documents', join('Documents', 'thesis.txt')]);
  expect(readFileSync(join(home, 'Documents', 'thesis.txt'), 'utf8')).toBe('years of work');
};

describe('a row that names a path where a run should be', () => {
  it.each([
    'run',
    'text',
  ])('deletes nothing when the workspace is opened (tombstone: %s), and the rest works', async (mode) => {
    expect(CRAFTED).toHaveLength(26);
    const run = await withOneRun();
    change(
      ...unchecked,
      `INSERT INTO run (id, ulid, created_at) VALUES (77, '${CRAFTED}', 0)`,
      `INSERT INTO run_head SELECT 77, seq, hash, epoch, changed_at, rule_version, rule_seq, facts, state, precedence FROM run_head LIMIT 1`,
      `INSERT INTO tombstone (run, mode, at, author, counts, head, done, content, sum)
       VALUES (77, '${mode}', 0, 'x', '{}', x'', 0, NULL, x'')`,
    );
    const heard: StoreNotice[] = [];
    const store = testStore(folder);
    store.subscribe((notice) => heard.push(notice));
    await store.drain();
    untouched();
    expect(heard).toContainEqual(expect.objectContaining({ kind: 'unreadable', code: 'workspace_corrupt' }));
    expect((await store.reader.runs()).map(({ id }) => id)).toEqual([run]);
    await expect(store.reader.run(CRAFTED)).rejects.toMatchObject({ code: 'not_found' });
    await expect(store.writer.remove(CRAFTED, 'run', alice)).rejects.toMatchObject({ code: 'not_found' });
    expect(() => store.lockRun(CRAFTED)).toThrow(/not a valid id/);
    await store.reader.attentionList(alice.uuid);
    const report = await store.reader.verify();
    expect(report.workspace.map(({ what }) => what)).toContain('run_id');
    await store.writer.remove(run, 'run', alice);
    expect(await store.reader.runs()).toEqual([]);
    untouched();
    await store.close();
  });

  it('is refused by the schema', async () => {
    await withOneRun();
    const db = openDatabase(workspaceFile(folder));
    const insert = db.prepare('INSERT INTO run (ulid, created_at) VALUES (?, 0)');
    for (const wrong of [
      CRAFTED,
      ulid().toLowerCase(),
      `8${ulid().slice(1)}`,
      `${ulid()}\0/..`,
      `${ulid()}1`,
      '',
    ]) {
      expect(() => insert.run(wrong), wrong).toThrow('this is no id');
    }
    insert.run(ulid());
    expect(() => db.exec(`UPDATE run SET ulid = '${CRAFTED}'`)).toThrow('a run keeps its id');
    expect(() =>
      db.exec(`INSERT INTO outbox (ulid, run, body, hash) VALUES ('${CRAFTED}', 1, '', zeroblob(32))`),
    ).toThrow('this is no id');
    expect(() =>
      db.exec(
        `INSERT INTO kept_annotation (device, device_seq, ulid, run, body, hash) VALUES ('d', 1, '${ulid()}', '${CRAFTED}', '', zeroblob(32))`,
      ),
    ).toThrow('this is no id');
    db.close();
  });
});

describe('a link in a workspace', () => {
  it.each([
    ...['sessions', 'runs', 'blobs', 'locks', 'cache', 'backups', 'logs', 'tasks', 'spools', 'checkpoints'],
    ...['workspace.db', 'search.db', 'ballast', 'workspace.db-wal'],
  ])('in the place of %s keeps it closed', async (part) => {
    await withOneRun();
    const path = join(folder, part);
    const away = join(base, `away-${part}`);
    if (existsSync(path)) renameSync(path, away);
    symlinkSync(existsSync(away) ? away : join(home, 'Documents', 'thesis.txt'), path);
    expect(() => testStore(folder)).toThrow(
      expect.objectContaining({ code: 'workspace_corrupt', message: expect.stringContaining('is a link') }),
    );
    untouched();
  });

  it('in the place of cache/attention leaves what it leads to alone', async () => {
    const run = await withOneRun();
    mkdirSync(join(folder, 'cache'), { recursive: true });
    rmSync(join(folder, 'cache', 'attention'), { recursive: true, force: true });
    symlinkSync(join(home, 'Documents'), join(folder, 'cache', 'attention'));
    const store = testStore(folder);
    await store.reader.attentionList(alice.uuid).catch(() => undefined);
    await store.reader.attention(run).catch(() => undefined);
    await store.close();
    untouched();
  });

  it("in the place of a run's sessions or lock makes its removal fail and nothing else", async () => {
    const run = await withOneRun();
    mkdirSync(join(folder, 'sessions'), { recursive: true });
    rmSync(join(folder, 'sessions', run), { recursive: true, force: true });
    symlinkSync(home, join(folder, 'sessions', run));
    const store = testStore(folder);
    await expect(store.writer.remove(run, 'run', alice)).rejects.toMatchObject({ code: 'refused' });
    untouched();
    await store.close();

    mkdirSync(join(folder, 'locks'), { recursive: true });
    const other = ulid();
    writeFileSync(join(home, 'other.db'), '');
    symlinkSync(join(home, 'other.db'), join(folder, 'locks', `${other}.db`));
    const again = testStore(folder);
    expect(() => again.lockRun(other, true)).toThrow(/is a link/);
    expect(statSync(join(home, 'other.db')).size).toBe(0);
    await again.close();
  });

  it('only what the cache makes is deleted from it', async () => {
    await withOneRun();
    mkdirSync(join(folder, 'cache', 'attention'), { recursive: true });
    const gone = ulid();
    for (const name of [`${gone}.json`, `${gone}.json.12.new`, 'notes.txt', `${gone}.md`]) {
      writeFileSync(join(folder, 'cache', 'attention', name), '{}');
    }
    const store = testStore(folder);
    await store.reader.attentionList(alice.uuid);
    await store.close();
    const left = readdirSync(join(folder, 'cache', 'attention'));
    expect(left).toEqual(expect.arrayContaining(['notes.txt', `${gone}.md`]));
    expect(left.filter((name) => name.startsWith(`${gone}.json`))).toEqual([]);
  });
});

describe.runIf(process.platform !== 'win32')('a pipe in a workspace is never waited for', () => {
  const pipe = (...names: string[]) => {
    const path = join(folder, ...names);
    mkdirSync(join(path, '..'), { recursive: true });
    rmSync(path, { recursive: true, force: true });
    execFileSync('mkfifo', [path]);
  };

  it.each(WORKSPACE_PARTS)('in the place of %s it keeps the workspace closed', async (part) => {
    await withOneRun();
    pipe(part);
    expect(() => testStore(folder)).toThrow(
      expect.objectContaining({ code: 'workspace_corrupt', message: expect.stringMatching(/pipe|regular/) }),
    );
    // Whoever only asks whose it is, or reads beside a writer, does not wait either.
    expect(() => [isFromElsewhere(folder), openForReading(folder).close()]).not.toThrow(TypeError);
  });

  it('nor is a socket', async () => {
    await withOneRun();
    const server = createServer().listen(join(folder, 'ballast'));
    await new Promise((resolve) => server.once('listening', resolve));
    expect(() => testStore(folder)).toThrow(/a pipe, a device or a socket/);
    await new Promise((resolve) => server.close(resolve));
  });

  it('in the place of a text, of output, of a lock, of a backup or of what the inbox keeps', async () => {
    const first = testStore(folder);
    const run = await createRun(first);
    const writer = new RunWriter(first, run);
    await writer.start();
    await writer.command('big', 'x'.repeat(300_000), { exitCode: 0 });
    const chunk = { offset: 0, bytes: Buffer.from('bytes'), receivedAt: 0, hostAt: null };
    await first.writer.sessionBytes(run, writer.epoch, 'main', chunk);
    await first.reader.attentionList(alice.uuid);
    await first.close();
    const below = (part: string) =>
      readdirSync(join(folder, part), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)));
    const [text = ''] = below('blobs');
    const [output = ''] = below('sessions');
    for (const path of [text, output, `cache/attention/${run}.json`, `locks/${run}.db`]) pipe(path);
    pipe('backups', 'logs-2031-01-01T00-00-00-000Z.db');
    const store = testStore(folder);
    await expect(store.reader.step(run, 1)).rejects.toMatchObject({ code: 'workspace_corrupt' });
    await expect(store.reader.readSession(run, 'main', 0, 5)).rejects.toMatchObject({
      code: 'workspace_corrupt',
    });
    expect(await store.reader.attentionList(alice.uuid)).toBeDefined();
    expect(() => store.lockRun(run, true)).toThrow(expect.objectContaining({ code: 'workspace_corrupt' }));
    const { workspace, runs } = await store.reader.verify();
    const said = [...workspace, ...runs.flatMap(({ problems }) => problems)].map(({ what }) => what);
    expect(said).toEqual(expect.arrayContaining(['text']));
    await store.close();
    for (const path of [text, output, `cache/attention/${run}.json`]) {
      expect(lstatSync(join(folder, path)).isFIFO()).toBe(true);
    }
  });
});

describe('a text that says more than its row', () => {
  it.each([
    ['in its row', 'data'],
    ['in its file', 'file'],
  ])('is not unpacked beyond it (%s): a bomb costs what the row says', async (_, where) => {
    const store = testStore(folder);
    const run = await createRun(store);
    const writer = new RunWriter(store, run);
    await writer.start();
    await writer.command('big', 'x'.repeat(where === 'file' ? 300_000 : 100_000), { exitCode: 0 });
    await store.close();
    // 400 MB of zeros in 400 KB.
    const bomb = deflateRawSync(Buffer.alloc(400 * 1024 * 1024), { level: 1 });
    const db = openDatabase(workspaceFile(folder));
    for (const { name } of db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all() as {
      name: string;
    }[])
      db.exec(`DROP TRIGGER "${name}"`);
    if (where === 'data') {
      db.prepare('UPDATE blob SET data = ? WHERE encoding = 1').run(bomb);
    } else {
      const { sha } = db.prepare('SELECT sha FROM blob WHERE encoding = 3').get() as { sha: Buffer };
      const hex = sha.toString('hex');
      writeFileSync(join(folder, 'blobs', hex.slice(0, 2), hex), bomb);
    }
    db.close();
    const again = testStore(folder);
    const before = process.memoryUsage().rss;
    await expect(again.reader.step(run, 1)).rejects.toMatchObject({ code: 'workspace_corrupt' });
    const { workspace } = await again.reader.verify();
    expect(workspace.map(({ what }) => what)).toContain('text');
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
    await again.close();
  });

  it('nor is one whose row says more than any text has', () => {
    const data = deflateRawSync(Buffer.alloc(300 * 1024 * 1024), { level: 1 });
    const hex = 'a'.repeat(64);
    for (const size of [300 * 1024 * 1024, 1e15, -1, Number.NaN]) {
      expect(() => decodeBlob({ size, encoding: 1, data }, hex, folder)).toThrow(/damaged/);
    }
    const fits = deflateRawSync(Buffer.from('hello'));
    expect(decodeBlob({ size: 5, encoding: 1, data: fits }, hex, folder).toString()).toBe('hello');
    for (const size of [0, 4, 6]) {
      expect(() => decodeBlob({ size, encoding: 1, data: fits }, hex, folder)).toThrow(/damaged/);
    }
  });
});

describe('a run that is not here', () => {
  it('gets no lock', async () => {
    await withOneRun();
    const store = testStore(folder);
    const before = readdirSync(folder, { recursive: true }).toString();
    expect(() => store.lockRun(ulid())).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(readdirSync(folder, { recursive: true }).toString()).toBe(before);
    await store.close();
  });
});

describe.runIf(process.platform !== 'win32')('who may look into a workspace', () => {
  const modes = () =>
    Object.fromEntries(
      ['', ...readdirSync(folder, { recursive: true }).map(String)].map((name) => [
        name,
        (lstatSync(join(folder, name)).mode & 0o7777).toString(8),
      ]),
    );

  async function used(): Promise<void> {
    const store = testStore(folder);
    const run = await createRun(store);
    const writer = new RunWriter(store, run);
    await writer.start();
    await writer.command('big', 'x'.repeat(300_000), { exitCode: 0 });
    const chunk = { offset: 0, bytes: Buffer.from('bytes'), receivedAt: 0, hostAt: null };
    await store.writer.sessionBytes(run, writer.epoch, 'main', chunk);
    store.lockRun(run)?.release();
    await store.reader.attention(run);
    await store.writer.backup();
    await store.close();
  }

  it('is its owner alone, whatever the umask says', async () => {
    const before = process.umask(0);
    try {
      await used();
    } finally {
      process.umask(before);
    }
    const open = Object.entries(modes()).filter(([, mode]) => !/^[0-7]00$/.test(mode));
    expect(open).toEqual([]);
    expect(Object.keys(modes()).length).toBeGreaterThan(12);
  });

  it('is also closed where an earlier version left it open, and where other things lie only its parts are', async () => {
    await withOneRun();
    chmodSync(folder, 0o755);
    chmodSync(workspaceFile(folder), 0o644);
    await testStore(folder).close();
    expect(modes()).toMatchObject({ '': '700', 'workspace.db': '600' });
    writeFileSync(join(folder, 'paper.tex'), '');
    chmodSync(folder, 0o755);
    chmodSync(workspaceFile(folder), 0o644);
    await testStore(folder).close();
    expect(modes()).toMatchObject({ '': '755', 'workspace.db': '600' });
  });

  it('is the group where the folder is shared on purpose', async () => {
    mkdirSync(folder);
    chmodSync(folder, 0o2770);
    const before = process.umask(0o022);
    try {
      await used();
    } finally {
      process.umask(before);
    }
    const wrong = Object.entries(modes()).filter(([, mode]) => mode !== '2770' && mode !== '660');
    expect(wrong).toEqual([]);
  });
});
