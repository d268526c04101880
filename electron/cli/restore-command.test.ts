import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { alice, createRun, RunWriter } from '../testing/run-writer';
import { temporaryFolder, testStore } from '../testing/store-fixtures';

const entry = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js');

interface Answer {
  code: number;
  // biome-ignore lint/suspicious/noExplicitAny: documents of many commands
  json: any;
  text: string;
}

/** Runs the built command line as a process of its own, in a workspace. */
function waymark(folder: string, ...args: string[]): Promise<Answer> {
  expect(existsSync(entry), 'the command line is built before tests: npm run build').toBe(true);
  const env = { ...process.env, WAYMARK_DATA: join(folder, '..', 'data'), WAYMARK_WORKSPACE: folder };
  return new Promise((resolve) => {
    execFile(process.execPath, [entry, ...args], { env }, (error, stdout, stderr) => {
      const json = args.includes('--json') ? JSON.parse(stdout.trim().split('\n').at(-1) ?? 'null') : null;
      resolve({ code: error === null ? 0 : Number(error.code), json, text: stdout + stderr });
    });
  });
}

async function damagedWorkspace() {
  const folder = join(temporaryFolder(), 'workspace');
  const store = testStore(folder);
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  await writer.command('ls', 'out', { exitCode: 0 });
  const target = { run: writer.run, from: 1, to: 1 };
  await store.writer.annotate(alice, target, { op: 'label', value: 'train', reason: null });
  await store.writer.backup();
  await store.writer.annotate(alice, target, { op: 'comment', text: 'good' });
  await store.writer.backup();
  await store.close();
  writeFileSync(join(folder, 'workspace.db'), 'damaged');
  return { folder, run: writer.run, to: join(folder, '..', 'restored') };
}

test('a damaged workspace names the way out; its backups are listed, one is restored, and it opens', async () => {
  const { folder, run, to } = await damagedWorkspace();
  const refused = await waymark(folder, 'run', 'list');
  expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('"restore"') });
  const list = await waymark(folder, 'restore');
  expect(list.text).toMatch(
    /1 {2}logs-\S+\.db {2}1 run, 2 labels by Alice, 0 hints\n2 {2}logs-\S+\.db {2}1 run, 1 label by/,
  );
  const { json: listed } = await waymark(folder, 'restore', '--json');
  expect(listed.backups.map((row: { contents: { labels: number } }) => row.contents.labels)).toEqual([2, 1]);
  const done = await waymark(folder, 'restore', '2', '--to', to);
  expect(done.code).toBe(1);
  expect(done.text).toContain(`${run}  A run  not restored; 1 label set aside`);
  expect(done.text).toContain(`Restored 0 of 1 run, 1 label by Alice and 0 hints into ${to}.`);
  expect(await waymark(to, 'verify', '--json')).toMatchObject({ code: 0, json: { ok: true } });
  expect(readdirSync(join(to, 'backups'))).toHaveLength(1);
});

test.each([
  ['is missing', (file: string) => rmSync(file)],
  ['is empty', (file: string) => truncateSync(file, 0)],
])('a workspace whose log %s is refused by every command, and nothing of it is made or deleted', async (words, lose) => {
  const { folder } = await damagedWorkspace();
  lose(join(folder, 'workspace.db'));
  const before = readdirSync(folder, { recursive: true }).sort();
  for (const command of ['run list', 'clean', 'rebuild', 'verify']) {
    const refused = await waymark(folder, ...command.split(' '));
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining(`workspace.db ${words}`) });
    expect(refused.text).toContain('"restore"');
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(before);
  }
});

test('a damaged workspace is verified as it is, and sent on to restore', async () => {
  const { folder } = await damagedWorkspace();
  const { code, text } = await waymark(folder, 'verify');
  expect(code).toBe(1);
  expect(text).toContain('workspace_corrupt at workspace.db: ');
  expect(text).toContain('"restore" copies what is intact to a new folder');
  expect(text).not.toMatch(/"verify"|SQLITE/);
});

test('a run that was removed counts neither as verified nor as one to restore', async () => {
  const folder = join(temporaryFolder(), 'workspace');
  const store = testStore(folder);
  const gone = await createRun(store);
  await createRun(store);
  await store.writer.remove(gone, 'run', alice);
  await store.close();
  const verified = await waymark(folder, 'verify');
  expect(verified.text).toBe('All is well: 1 run verified. Removed before: 1 run.\n');
  const restored = await waymark(folder, 'restore', '--to', join(folder, '..', 'restored'));
  expect(restored.text).toContain(`${gone}  had been removed`);
  expect(restored.text).toContain('Restored 1 of 1 run, ');
});

test('the newest backup is taken unless one is named, by its file also without the workspace', async () => {
  const { folder, to } = await damagedWorkspace();
  const newest = await waymark(folder, 'restore', '--to', to, '--json');
  expect(newest.json).toMatchObject({ folder: to, labels: 2, from: folder });
  const [oldest = ''] = readdirSync(join(folder, 'backups')).sort();
  const alone = join(folder, '..', 'sent.db');
  mkdirSync(join(folder, '..', 'elsewhere'));
  writeFileSync(alone, (await import('node:fs')).readFileSync(join(folder, 'backups', oldest)));
  const sent = await waymark(folder, 'restore', alone, '--to', `${to}2`, '--json');
  expect(sent.json).toMatchObject({ from: null, labels: 1 });
});

test('what cannot be done is refused with the next step, and nothing is written', async () => {
  const { folder, to } = await damagedWorkspace();
  expect(await waymark(folder, 'restore', '1')).toMatchObject({
    code: 1,
    text: expect.stringContaining('--to'),
  });
  expect(await waymark(folder, 'restore', '9', '--to', to)).toMatchObject({
    code: 1,
    text: expect.stringContaining('There is no backup "9"'),
  });
  expect(await waymark(folder, 'restore', join(folder, 'workspace.db'), '--to', to)).toMatchObject({
    code: 1,
    text: expect.stringContaining('is not a backup'),
  });
  mkdirSync(to);
  writeFileSync(join(to, 'mine'), '');
  expect(await waymark(folder, 'restore', '1', '--to', to)).toMatchObject({
    code: 1,
    text: expect.stringContaining('not empty'),
  });
  expect(readdirSync(to)).toEqual(['mine']);
});

test('a workspace that cannot be made is refused at once, with what is in the way', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'file');
  writeFileSync(file, 'mine');
  const places = [file, join(file, 'x'), ...(process.platform === 'linux' ? ['/proc/x'] : [])];
  for (const place of places) {
    const { code, text } = await waymark(join(folder, 'w'), 'run', 'list', '--workspace', place);
    expect({ code, text }).toMatchObject({
      code: 1,
      text: expect.stringContaining(`${place} cannot be made`),
    });
  }
});

test('a list of backups of which every one is damaged sends nobody round in a circle', async () => {
  const { folder, to } = await damagedWorkspace();
  for (const name of readdirSync(join(folder, 'backups'))) writeFileSync(join(folder, 'backups', name), 'no');
  const { text } = await waymark(folder, 'restore');
  expect(text).not.toContain('Choose an older one');
  rmSync(join(folder, 'workspace.db'));
  const done = await waymark(folder, 'restore', '--to', to);
  expect(done).toMatchObject({ code: 1, text: expect.stringContaining('no backup was named') });
});
