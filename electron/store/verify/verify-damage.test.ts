import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addTask } from '../../task/add';
import { deeds, liveThrough } from '../../testing/random-run';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { writeTaskPackage } from '../../testing/task-package';
import { decodeBlob } from '../file/blob-store';
import { openDatabase } from '../file/database';
import { workspaceFile } from '../file/workspace-file';
import { createProjector } from '../projections/projector';
import { verifyWorkspace } from './verify';

const COPIES = process.env.WAYMARK_FULL === '1' ? 1000 : 40;
const PAGE = 4096;

/** Repeatable numbers, so that a failing copy can be made again. */
function generator(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Damage = (bytes: Buffer, random: (below: number) => number) => void;

const damages: Record<string, Damage> = {
  'a zeroed page': (bytes, random) => {
    const page = random(Math.ceil(bytes.length / PAGE));
    bytes.fill(0, page * PAGE, Math.min(bytes.length, (page + 1) * PAGE));
  },
  'sixteen flipped bits': (bytes, random) => {
    for (let bit = 0; bit < 16; bit += 1) {
      const at = random(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    }
  },
  '512 random bytes': (bytes, random) => {
    const at = random(Math.max(1, bytes.length - 512));
    for (let index = at; index < Math.min(bytes.length, at + 512); index += 1) {
      bytes[index] = random(256);
    }
  },
};

/** Everything a reader could be told, as text; throws or differs when the damage is more than unused space. */
function content(folder: string): string {
  const parts: string[] = [];
  const db = openDatabase(workspaceFile(folder), { readonly: true });
  try {
    db.pragma('cell_size_check = ON');
    const schema = db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name').all();
    parts.push(JSON.stringify([schema, db.pragma('user_version'), db.pragma('application_id')]));
    if ((db.pragma('integrity_check') as { integrity_check: string }[])[0]?.integrity_check !== 'ok') {
      return 'unsound';
    }
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
    for (const { name } of tables as { name: string }[]) {
      const rows = db.prepare(`SELECT * FROM ${name} NOT INDEXED`).all();
      // Two compressed forms of one text are the same content.
      parts.push(
        JSON.stringify(name === 'blob' ? (rows as BlobRow[]).map((row) => inflated(row, folder)) : rows),
      );
    }
  } finally {
    db.close();
  }
  for (const file of sideFiles(folder).filter((name) => name.startsWith('sessions'))) {
    parts.push(readFileSync(join(folder, file)).toString('base64'));
  }
  return parts.join('\n');
}

type BlobRow = Parameters<typeof decodeBlob>[0] & { id: number; sha: Buffer };

function inflated(row: BlobRow, folder: string): unknown[] {
  const { id, sha, size, encoding } = row;
  return [id, sha, size, encoding, decodeBlob(row, sha.toString('hex'), folder).toString('base64')];
}

function isDamaged(folder: string, sound: string): boolean {
  try {
    return content(folder) !== sound;
  } catch {
    // Whatever keeps the content from being read is damage; `verify` must find it too.
    return true;
  }
}

function sideFiles(folder: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[])
    .filter((file) => /^(blobs|sessions)/.test(file) && statSync(join(folder, file)).isFile())
    .sort();
}

async function makeWorkspace(): Promise<string> {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  for (let step = 1; step <= 30; step += 1) {
    await writer.command(`echo ${step}`, `result ${step} `.repeat(step * 40), {
      exitCode: step % 5 === 0 ? 1 : 0,
    });
    const chunk = {
      offset: (step - 1) * 100,
      bytes: Buffer.alloc(100, step),
      receivedAt: step * 40,
      hostAt: null,
    };
    await store.writer.sessionBytes(run, writer.epoch, 'main', chunk);
    if (step % 4 === 0) {
      await store.writer.annotate(
        alice,
        { run, from: step - 2, to: step },
        { op: 'label', value: 'train', reason: 'ok' },
      );
      await writer.hint(`hint after ${step}`);
    }
  }
  await writer.command('huge', 'z'.repeat(300_000), { exitCode: 0 });
  await addTask(store, await writeTaskPackage(join(temporaryFolder(), 'package'), {}));
  for (const life of fc.sample(deeds, { numRuns: 3, seed: 5 })) {
    await liveThrough(store, life);
  }
  const gone = await createRun(store);
  await store.writer.remove(gone, 'run', alice);
  const [emptied] = await store.reader.runs();
  await store.writer.remove(emptied?.id ?? '', 'text', alice);
  await store.drain();
  await store.close();
  return folder;
}

test(`every one of ${COPIES} damaged copies is found, and none brings the process down`, async () => {
  const folder = await makeWorkspace();
  const projector = createProjector();
  expect(await verifyWorkspace(folder, projector)).toMatchObject({ ok: true });
  const sound = content(folder);
  const copy = join(temporaryFolder(), 'copy');
  const kinds = Object.entries(damages);
  const missed: string[] = [];
  let counted = 0;
  for (let seed = 1; counted < COPIES; seed += 1) {
    const random = generator(seed * 7919);
    const [name, damage] = kinds[seed % kinds.length] ?? ['', () => undefined];
    rmSync(copy, { recursive: true, force: true });
    mkdirSync(copy);
    for (const part of ['workspace.db', 'blobs', 'sessions']) {
      cpSync(join(folder, part), join(copy, part), { recursive: true });
    }
    // One copy in eight is damaged in a file beside the database.
    const files = sideFiles(copy);
    const file = seed % 8 === 0 ? (files[random(files.length)] ?? 'workspace.db') : 'workspace.db';
    const bytes = readFileSync(join(copy, file));
    damage(bytes, random);
    writeFileSync(join(copy, file), bytes);
    if (!isDamaged(copy, sound)) {
      continue;
    }
    counted += 1;
    const report = await verifyWorkspace(copy, projector);
    const named = [...report.workspace, ...report.runs.flatMap(({ problems }) => problems)];
    if (
      report.ok ||
      named.some(({ what, where, message }) => what === '' || where === '' || message === '') ||
      // Neither round in a circle nor in the words of SQLite.
      named.some(({ message }) =>
        /"verify"|SQLITE|database disk|btree|Tree \d|is queued already/.test(message),
      )
    ) {
      missed.push(`seed ${seed}: ${name} in ${file}`);
    }
  }
  expect(missed).toEqual([]);
}, 900_000);

test('a damaged file is refused or read around with a named error, never as a crash', async () => {
  const folder = await makeWorkspace();
  const copy = join(temporaryFolder(), 'copy');
  const codes = new Set<string>();
  for (let seed = 1; seed <= 24; seed += 1) {
    const random = generator(seed);
    rmSync(copy, { recursive: true, force: true });
    mkdirSync(copy);
    cpSync(join(folder, 'workspace.db'), join(copy, 'workspace.db'));
    const bytes = readFileSync(join(copy, 'workspace.db'));
    for (let times = 0; times < 6; times += 1) {
      damages['a zeroed page']?.(bytes, random);
    }
    writeFileSync(join(copy, 'workspace.db'), bytes);
    try {
      const store = testStore(copy);
      for (const { id, steps } of await store.reader.runs()) {
        await store.reader.heads(id, 1, 100);
        await store.reader.step(id, Math.max(1, steps));
      }
      await store.close();
    } catch (thrown) {
      codes.add((thrown as { code?: string }).code ?? String(thrown));
    }
  }
  expect([...codes].filter((code) => !['workspace_corrupt', 'not_found'].includes(code))).toEqual([]);
}, 60_000);
