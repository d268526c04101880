import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '../store/file/database';
import { openStoreInProcess } from '../store/threads/in-process';
import type { Measured } from './hostile-files-child';
import { bob, createRun, RunWriter } from './run-writer';
import { temporaryFolder } from './store-fixtures';

/*
 * P12, measured: each file is given to a process of its own, which does with it what window and command line do, and says how
 * much work it was and how much memory its most was. Time is told by the process's own clock, which stands still while others work;
 * memory is that of the whole process, some 130 MB of which it has when it has opened an empty workspace with its threads.
 */
const MOST_MS = 5_000;
const MOST_BYTES = 200 * 1024 * 1024;
const MB = 1024 * 1024;

let workspace: string;
let run: string;
let backup: Buffer;

/** Once for all: each process gets a copy. */
async function prepare(): Promise<void> {
  workspace = join(mkdtempSync(join(tmpdir(), 'waymark-hostile-')), 'workspace');
  const store = openStoreInProcess(workspace);
  run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('ls', 'out', { exitCode: 0 });
  await store.writer.annotate(bob, { run, from: 1, to: 1 }, { op: 'label', value: 'mask', reason: null });
  backup = readFileSync(await store.writer.backup());
  await store.close();
}

function measure(kind: string, path: string): Measured {
  const copy = join(temporaryFolder(), 'workspace');
  cpSync(workspace, copy, { recursive: true });
  const child = spawnSync(
    process.execPath,
    [join(inject('storeWorkers'), 'hostile-files-child.js'), kind, path, copy, run],
    { encoding: 'utf8', timeout: 170_000, killSignal: 'SIGKILL' },
  );
  expect(child.stderr).toBe('');
  expect(child.status, `${kind} ${path}`).toBe(0);
  return JSON.parse(child.stdout.trim().split('\n').at(-1) ?? '') as Measured;
}

/** A file of so many bytes, of one piece again and again, between a beginning and an end. */
function long(path: string, bytes: number, piece: string, before = '', after = ''): void {
  const file = openSync(path, 'w');
  const many = piece.repeat(Math.ceil(MB / piece.length));
  writeSync(file, before);
  for (let written = 0; written < bytes; written += many.length) writeSync(file, many);
  writeSync(file, after);
  closeSync(file);
}

const pipe = (path: string) => void execFileSync('mkfifo', [path]);
const zeros = (path: string) => symlinkSync('/dev/zero', path);
const sparse = (bytes: number) => (path: string) => {
  writeFileSync(path, '');
  truncateSync(path, bytes);
};

function spoiled(sql: string) {
  return (path: string) => {
    writeFileSync(path, backup);
    const db = openDatabase(path);
    db.exec(sql);
    db.close();
  };
}

const head = '{"format":"waymark-annotations","version":1}\n';
const entry = JSON.stringify({
  hash: 'a'.repeat(64),
  body: JSON.stringify({ ulid: 'x', text: 'y'.repeat(2000) }),
});

const cases: Record<string, Record<string, (path: string) => void>> = {
  import: {
    'a pipe': pipe,
    'a link to a device': zeros,
    'a sparse file of 900 GB': sparse(900_000_000_000),
    'a sparse file of 250 MB': sparse(250 * MB),
    'one word of 250 MB': (path) => long(path, 250 * MB, 'y'),
    'blanks of 250 MB': (path) => long(path, 250 * MB, ' '),
    'brackets without end': (path) => long(path, 250 * MB, '['),
    'a text of 250 MB': (path) => long(path, 250 * MB, 'y', '{"id":"', '"}'),
    'a text without end': (path) => long(path, 250 * MB, 'y', '{"id":"'),
    'values without number': (path) => long(path, 250 * MB, '0,', '[', '0]'),
    'texts without an end of it': (path) => long(path, 250 * MB, `"${'x'.repeat(1000)}",`, '['),
    'no bytes': (path) => writeFileSync(path, ''),
  },
  merge: {
    'a pipe': pipe,
    'a link to a device': zeros,
    'a sparse file of 900 GB': sparse(900_000_000_000),
    'a sparse file of 500 MB': sparse(500 * MB),
    'one line of 500 MB': (path) => long(path, 500 * MB, 'y', head),
    'a beginning of 500 MB': (path) => long(path, 500 * MB, 'y'),
    'lines of 500 MB that are no entries': (path) => long(path, 500 * MB, '{}\n', head, '{"entries":1}\n'),
    'entries that no chain holds together': (path) =>
      long(path, 60 * MB, `${entry}\n`, head, '{"entries":1}\n'),
    'empty lines of 500 MB': (path) => long(path, 500 * MB, '\n', head),
    'a text file': (path) => writeFileSync(path, 'hello'),
  },
  restore: {
    'a pipe': pipe,
    'a link to a device': zeros,
    'a sparse file of 900 GB': sparse(900_000_000_000),
    'a view without end': spoiled(
      `DROP TABLE outbox; CREATE VIEW outbox AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)
       SELECT id, '' AS ulid, 1 AS run, 0 AS purged, '' AS body, x'' AS hash FROM n`,
    ),
    'a body of 100 MB': spoiled(
      "UPDATE annotation SET body = '{' || replace(hex(zeroblob(50000000)), '0', 'y')",
    ),
    'half a copy': (path) => writeFileSync(path, backup.subarray(0, backup.length / 2)),
  },
  votes: {
    'a pipe': pipe,
    'a link to a device': zeros,
    'a sparse file of 900 GB': sparse(900_000_000_000),
    'one line of 31 MB': (path) => long(path, 31 * MB, 'y'),
    'bad lines of 31 MB': (path) => long(path, 31 * MB, '{}\n'),
    'votes on steps that are not there': (path) =>
      long(path, 31 * MB, '{"step":9,"judge":"One","value":"mask"}\n'),
  },
};

describe.runIf(process.platform === 'linux')('a hostile file costs no more than it may', () => {
  beforeAll(() => prepare());
  afterAll(() => rmSync(dirname(workspace), { recursive: true, force: true }));

  for (const [kind, files] of Object.entries(cases)) {
    it.each(Object.entries(files))(`${kind}: %s`, { timeout: 180_000 }, (_, make) => {
      const folder = join(temporaryFolder(), 'given');
      mkdirSync(folder);
      const path = join(folder, kind === 'import' ? 'react_1.json' : 'given.jsonl');
      make(path);
      const { outcome, message, ms, rss } = measure(kind, path);
      expect(['bad_input', 'workspace_corrupt', 'unsupported'], message).toContain(outcome);
      // By name, and with the reason.
      expect(message).toMatch(/react_1\.json|given\.jsonl/);
      expect(ms).toBeLessThan(MOST_MS);
      expect(rss, `${Math.round(rss / MB)} MB`).toBeLessThan(MOST_BYTES);
    });
  }
});
