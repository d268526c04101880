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
import { join } from 'node:path';
import { ulid } from 'ulid';
import { beforeEach, describe, expect, it } from 'vitest';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import type { StoreNotice } from '../notices';
import { openDatabase } from './database';
import { workspaceFile } from './workspace-file';

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
