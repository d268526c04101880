import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { alice, createRun, RunWriter } from '../testing/run-writer';
import { temporaryFolder, testStore } from '../testing/store-fixtures';
import type { StoreNotice } from './api';

/** Mounts a small file system, which needs root on Linux. */
function smallDisk(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    return null;
  }
  const folder = join(temporaryFolder(), 'disk');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch (thrown) {
    // A container without the right to mount.
    if (thrown instanceof Error && 'status' in thrown) {
      return null;
    }
    throw thrown;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  return folder;
}

test('a full disk refuses new work visibly, loses nothing acknowledged and resumes by itself', async (context) => {
  const disk = smallDisk();
  if (disk === null) {
    context.skip('mounting a small file system needs root on Linux');
    return;
  }
  const folder = join(disk, 'workspace');
  const store = testStore(folder, { ballastBytes: 64 * 1024 });
  const notices: StoreNotice[] = [];
  store.subscribe((notice) => notices.push(notice));
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  const filler = join(disk, 'filler');
  writeFileSync(filler, Buffer.alloc(2_500_000));
  // Texts that do not compress, until the disk is full.
  let failure: unknown;
  for (let step = 1; failure === undefined && step < 200; step += 1) {
    const noise = Array.from({ length: 30_000 }, (_, index) =>
      Math.imul(index * step + 7, 2654435761).toString(36),
    ).join('');
    failure = await writer.command(`echo ${step}`, noise, { exitCode: 0 }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  }
  expect(failure).toMatchObject({ code: 'disk_full' });
  expect(notices).toContainEqual(expect.objectContaining({ kind: 'problem', code: 'disk_full' }));
  const label = store.writer.annotate(
    alice,
    { run, from: 1, to: 1 },
    { op: 'label', value: 'train', reason: null },
  );
  await expect(label).rejects.toMatchObject({ code: 'disk_full' });
  expect((await store.reader.run(run)).steps).toBeGreaterThanOrEqual(writer.acknowledged);
  rmSync(filler);
  await expect
    .poll(() => notices.some(({ kind }) => kind === 'problem_solved'), { timeout: 10_000 })
    .toBe(true);
  await store.writer.annotate(alice, { run, from: 1, to: 1 }, { op: 'label', value: 'train', reason: null });
  await store.drain();
  for (let step = 1; step <= writer.acknowledged; step += 1) {
    expect((await store.reader.step(run, step)).observations[0]?.ok).toBe(true);
  }
  expect(await store.reader.verify()).toMatchObject({ ok: true });
}, 60_000);
