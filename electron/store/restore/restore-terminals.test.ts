import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { byteAt, partFiles } from '../../testing/part-files';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';
import { openDatabase } from '../file/database';
import { workspaceFile } from '../file/workspace-file';
import { createProjector } from '../projections/projector';
import { restoreWorkspace } from './restore-workspace';

const PART = 100;
const CHUNK = 40;

/** A run whose terminal printed 300 bytes in chunks of 40: parts of 120, 120 and 60 bytes, the last still being written. */
async function printed() {
  const folder = join(temporaryFolder(), 'workspace');
  const store = testStore(folder, { partBytes: PART });
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('make', 'out', {
    exitCode: 0,
    offsets: { 'local:main': 300 },
    events: [
      {
        kind: 'session.opened',
        body: { computer: 'local', session: 'main', uid: 'u1', rows: 24, cols: 80 },
      },
    ],
  });
  await print(store, run, 0, 300);
  await store.close();
  return { folder, run, to: join(folder, '..', 'restored') };
}

async function print(store: Store, run: string, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += CHUNK) {
    const end = Math.min(to, at + CHUNK);
    const chunk = { offset: at, bytes: byteAt(at, end), receivedAt: at * 1000, hostAt: null };
    await store.writer.sessionBytes(run, 1, 'u1', chunk);
  }
}

const restore = (from: string, to: string) =>
  restoreWorkspace({ backup: null, from, to, projector: createProjector() });

/** Every piece that can be read, with where it begins. */
async function readable(store: Store, run: string): Promise<[number, string][]> {
  const pieces: [number, string][] = [];
  for (let at = 0; ; ) {
    const { offset, bytes, endOffset } = await store.reader.readSession(run, 'u1', at, 1 << 20);
    if (bytes.length > 0) pieces.push([offset, Buffer.from(bytes).toString('hex')]);
    at = offset + bytes.length;
    if (at >= endOffset) return pieces;
  }
}

const piece = (from: number, to: number): [number, string] => [from, byteAt(from, to).toString('hex')];

function firstFile(folder: string, run: string, base: number): string {
  return partFiles(folder, run, 'u1', base)[0] ?? '';
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

test.each<[string, (folder: string, run: string) => void, [number, number][], [number, string][]]>([
  [
    'the file of a sealed part is gone',
    (folder, run) => rmSync(firstFile(folder, run, 120)),
    [[120, 240]],
    [piece(0, 120), piece(240, 300)],
  ],
  [
    'a byte in the middle of a part is another one',
    (folder, run) => flip(firstFile(folder, run, 0), 50),
    [[40, 80]],
    [piece(0, 40), piece(80, 300)],
  ],
  [
    'the part that was being written is cut',
    (folder, run) => truncateSync(firstFile(folder, run, 240), 45),
    [[280, 300]],
    [piece(0, 280)],
  ],
  [
    'two files are gone',
    (folder, run) => {
      rmSync(firstFile(folder, run, 0));
      rmSync(firstFile(folder, run, 120));
    },
    [
      [0, 120],
      [120, 240],
    ],
    [piece(240, 300)],
  ],
])('%s: the restored run knows of it, is verified, read and driven on', async (_, damage, lost, left) => {
  const { folder, run, to } = await printed();
  damage(folder, run);
  const report = await restore(folder, to);
  const ranges = lost.map(([from, end]) => `${from} to ${end}`);
  expect(report).toMatchObject({ complete: false, runs: [{ state: 'log' }] });
  expect(report.runs[0]?.notes).toEqual([
    `Of what terminal local:main printed, these bytes are missing or not as stored: ${ranges.join(', ')}.`,
  ]);
  const date = new Date().toISOString().slice(0, 10);
  const known = ranges.map((range) => ({
    what: 'known_loss',
    where: `run ${run} session local:main`,
    message: `Bytes ${range} are missing: a known loss of the restore of ${date}.`,
  }));
  const store = testStore(to, { partBytes: PART });
  await store.drain();
  expect(await store.reader.verify()).toMatchObject({ ok: true, workspace: [], runs: [{ known }] });
  expect(await readable(store, run)).toEqual(left);
  const gaps = lost.map(([from, end]) => ({ from, to: end }));
  expect(await store.reader.sessions(run)).toMatchObject([{ gaps, endOffset: 300 }]);
  await print(store, run, 300, 400);
  expect(await store.reader.verify()).toMatchObject({ ok: true, runs: [{ known }] });
  await store.close();
  // Restored once more, it has lost nothing that is not known.
  const again = await restore(to, `${to}-again`);
  expect(again).toMatchObject({ complete: true, runs: [{ notes: [] }] });
  const twice = testStore(`${to}-again`);
  expect(await twice.reader.verify()).toMatchObject({ ok: true, runs: [{ known }] });
  await twice.writer.remove(run, 'text', alice);
  expect(await twice.reader.verify()).toMatchObject({ ok: true });
});

test('without the list of it a terminal is lost whole, known as such, and may be fetched again', async () => {
  const { folder, run, to } = await printed();
  const db = openDatabase(workspaceFile(folder));
  db.exec('DELETE FROM session_chunk WHERE offset = 80');
  db.close();
  expect((await restore(folder, to)).runs[0]?.notes).toEqual([
    'What terminal local:main printed is lost: the list of it is damaged.',
    'Of what terminal local:main printed, bytes 0 to 300 were seen and are not stored.',
  ]);
  const store = testStore(to);
  expect(await store.reader.verify()).toMatchObject({
    ok: true,
    runs: [{ known: [{ what: 'known_loss' }] }],
  });
  await print(store, run, 0, 300);
  const report = await store.reader.verify();
  expect(report.ok).toBe(true);
  expect(report.runs[0]?.known).toBeUndefined();
});
