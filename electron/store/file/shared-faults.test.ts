import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { NewEvent } from '@shared/log/events';
import { describe, expect, test } from 'vitest';
import { byteAt } from '../../testing/part-files';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { fillDisk, smallDisk, takeAllFiles } from '../../testing/small-disk';
import { testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';
import { openDatabase } from './database';
import { workspaceFile } from './workspace-file';

/** Large enough for a file of its own, and not small when deflated. */
const LARGE = Array.from({ length: 60_000 }, (_, index) =>
  Math.imul(index + 7, 2654435761).toString(36),
).join('');

interface Fault {
  /** What the file system is mounted with. */
  disk: string;
  /** What writing is refused with while it lasts. */
  code: string;
  /** Begins it; what it gives ends it. */
  begin(disk: string, folder: string): () => void;
}

/** Each on a file system of its own: nothing else on this machine is full, and nothing else makes room. */
const faults: Record<string, Fault> = {
  'a full disk': {
    disk: 'size=16m',
    code: 'disk_full',
    begin: (disk) => {
      const filler = fillDisk(disk);
      return () => rmSync(filler);
    },
  },
  'no free file': {
    disk: 'size=32m,nr_inodes=60',
    code: 'disk_full',
    begin: (disk) => {
      const taken = takeAllFiles(disk);
      return () => {
        for (const path of taken) rmSync(path);
      };
    },
  },
  'a lock that another program holds': {
    disk: 'size=32m',
    code: 'workspace_locked',
    begin: (_, folder) => {
      const db = openDatabase(workspaceFile(folder));
      db.exec('BEGIN IMMEDIATE');
      return () => {
        db.exec('ROLLBACK');
        db.close();
      };
    },
  },
};

/** Null once it was done, else the code it was refused with. */
const tried = (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    (thrown: { code?: string }) => thrown.code ?? String(thrown),
  );

/** What was refused is asked for again until it is taken, as a run does. */
async function inTheEnd(work: () => Promise<unknown>): Promise<void> {
  await expect.poll(() => tried(work()), { timeout: 30_000, interval: 100 }).toBeNull();
}

const problems = async (store: Store) => {
  const { workspace, runs } = await store.reader.verify();
  return [...workspace, ...runs.flatMap((run) => run.problems)];
};

function textFiles(folder: string): string[] {
  const blobs = join(folder, 'blobs');
  if (!existsSync(blobs)) return [];
  return readdirSync(blobs).flatMap((name) => readdirSync(join(blobs, name)).map((file) => join(name, file)));
}

const driver = (epoch: number): NewEvent => ({
  kind: 'driver.started',
  body: { epoch, pid: 1, host: 'h', app: '0', runtime: 'node', reason: 'resume' },
});

describe.each(Object.entries(faults))('%s', (_, { disk: options, code, begin }) => {
  /** Two processes on one workspace; null where no file system can be mounted. */
  function stand() {
    const disk = smallDisk(options);
    if (disk === null) return null;
    const folder = join(disk, 'workspace');
    const stores = {
      one: testStore(folder, { partBytes: 1000 }),
      two: testStore(folder, { partBytes: 1000 }),
    };
    return { disk, folder, ...stores };
  }

  /** A3: removing a run deletes no text that another run stores at that moment. */
  test('while a text is let go and stored anew by another process: whoever stored it has it', async (context) => {
    const made = stand();
    if (made === null) return context.skip('mounting a small file system needs root on Linux');
    const { disk, folder, one, two } = made;
    const first = new RunWriter(one, await createRun(one));
    await first.start();
    await first.command('cat large', LARGE, { exitCode: 0 });
    const next = new RunWriter(two, await createRun(two));
    await next.start();
    await next.answer('I read it', 'run_command', { command: 'cat large', session_id: 'main' });
    const end = begin(disk, folder);
    const store = () => next.observe(LARGE, { exitCode: 0 });
    const remove = () => one.writer.remove(first.run, 'run', alice);
    const said = { store: await tried(store()), remove: await tried(remove()) };
    // The text is there already, so a full disk may let it be named again; a lock lets nothing.
    expect([code, null]).toContain(said.store);
    expect([code, null]).toContain(said.remove);
    if (code === 'workspace_locked') expect(said).toEqual({ store: code, remove: code });
    end();
    if (said.store !== null) await inTheEnd(store);
    if (said.remove !== null) await inTheEnd(remove);
    for (const each of [one, two]) {
      await each.drain();
      expect((await each.reader.step(next.run, 1)).observations[0]?.text).toBe(LARGE);
      expect((await each.reader.runs()).map(({ id }) => id)).toEqual([next.run]);
      expect(await problems(each)).toEqual([]);
    }
    expect(textFiles(folder)).toHaveLength(1);
  }, 90_000);

  test('while the only text of a run that goes is stored for the first time elsewhere', async (context) => {
    const made = stand();
    if (made === null) return context.skip('mounting a small file system needs root on Linux');
    const { disk, folder, one, two } = made;
    const next = new RunWriter(two, await createRun(two));
    await next.start();
    await next.answer('I read it', 'run_command', { command: 'cat large', session_id: 'main' });
    const end = begin(disk, folder);
    // Its file cannot be made, or its row not be written: no half of it stays.
    expect(await tried(next.observe(LARGE, { exitCode: 0 }))).toBe(code);
    expect(await tried(next.observe(LARGE, { exitCode: 0 }))).toBe(code);
    end();
    await inTheEnd(() => next.observe(LARGE, { exitCode: 0 }));
    expect((await one.reader.step(next.run, 1)).observations[0]?.text).toBe(LARGE);
    await one.writer.remove(next.run, 'run', alice);
    await one.drain();
    expect(await problems(two)).toEqual([]);
    await two.writer.clean();
    expect(textFiles(folder)).toEqual([]);
  }, 90_000);

  /** A1: terminal bytes when drivers alternate. */
  test('while drivers take turns over a session: each goes on where the stored bytes end', async (context) => {
    const made = stand();
    if (made === null) return context.skip('mounting a small file system needs root on Linux');
    const { disk, folder, one, two } = made;
    const uid = 'u1';
    const run = await createRun(one);
    const send = (store: Store, epoch: number, from: number, to: number) =>
      store.writer.sessionBytes(run, epoch, uid, {
        offset: from,
        bytes: byteAt(from, to),
        receivedAt: from,
        hostAt: null,
      });
    // The window drives, the command line takes over; the last part is filled to its last byte.
    await send(one, 1, 0, 700);
    await two.writer.append(run, 2, [driver(2)]);
    await send(two, 2, 700, 1700);
    const end = begin(disk, folder);
    const during = await tried(send(two, 2, 1700, 200_000));
    expect(during).toBe(code);
    // The window cannot take over now, nor can what was refused be passed over.
    const takeover = await tried(one.writer.append(run, 3, [driver(3)]));
    expect([code, null]).toContain(takeover);
    expect(await tried(send(one, 3, 2000, 2010))).not.toBeNull();
    end();
    if (takeover !== null) await inTheEnd(() => one.writer.append(run, 3, [driver(3)]));
    await inTheEnd(() => send(one, 3, 1700, 2600));
    // It learns by and by that there is room, and then that it drives no more.
    await expect
      .poll(() => tried(send(two, 2, 1700, 1710)), { timeout: 30_000, interval: 100 })
      .toBe('run_driven_elsewhere');
    await two.writer.append(run, 4, [driver(4)]);
    await send(two, 4, 2600, 4000);
    for (const store of [one, two]) {
      const { bytes, endOffset } = await store.reader.readSession(run, uid, 0, 1_000_000);
      expect(endOffset).toBe(4000);
      expect(Buffer.from(bytes).equals(Buffer.from(byteAt(0, 4000)))).toBe(true);
      expect(await problems(store)).toEqual([]);
    }
  }, 90_000);
});
