import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '@shared/log/events';
import { describe, expect, test } from 'vitest';
import type { Store } from '../store/api';
import { realisticWorkspace } from './realistic-run';
import { temporaryFolder, testStore } from './store-fixtures';

async function eventsOf(store: Store, run: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for (;;) {
    const next = await store.reader.events(run, events.length + 1, 2_000);
    if (next.length === 0) return events;
    events.push(...next);
  }
}

const digest = (events: readonly RunEvent[]) =>
  createHash('sha256').update(JSON.stringify(events)).digest('hex');

describe('a realistic run', () => {
  test('of size S is whole: the log, every prompt and every projection verify', async () => {
    const built = await realisticWorkspace('S', { folder: join(temporaryFolder(), 'w'), labels: true });
    expect(built.steps).toBeGreaterThanOrEqual(500);
    expect(built.textBytes / 1e6).toBeGreaterThan(4);
    expect(built.textBytes / 1e6).toBeLessThan(7);
    const store = testStore(built.folder);
    expect(await store.reader.verify()).toMatchObject({ ok: true });
    const events = await eventsOf(store, built.run);
    expect(events).toHaveLength(built.events);
    const kinds = new Set(events.map(({ kind }) => kind));
    for (const kind of [
      'hint.delivered',
      'summary.ended',
      'file.changed',
      'evaluation.ended',
      'step.taught',
    ] as const)
      expect(kinds).toContain(kind);
    const observed = events.flatMap((event) => (event.kind === 'action.observed' ? [event.body] : []));
    expect(new Set(observed.map(({ data }) => data.computer))).toEqual(
      new Set(['local', 'gpu-1', 'cpu-1', undefined]),
    );
    expect(observed.filter(({ ok }) => !ok).length).toBeGreaterThan(3);
    const chinese = events.filter(({ body }) => /[\u4e00-\u9fff]/.test(JSON.stringify(body))).length;
    expect(chinese / built.steps).toBeGreaterThan(0.05);
    const rules = new Set((await store.reader.heads(built.run, 1, 500)).flatMap((head) => head.rules));
    expect(rules.size).toBeGreaterThanOrEqual(4);
  });

  test('is the same for the same seed and another for another one', async () => {
    const digests: string[] = [];
    for (const seed of [3, 3, 4]) {
      const { folder, run } = await realisticWorkspace('S', {
        folder: join(temporaryFolder(), 'w'),
        seed,
        steps: 120,
      });
      digests.push(digest(await eventsOf(testStore(folder), run)));
    }
    expect(digests[0]).toBe(digests[1]);
    expect(digests[2]).not.toBe(digests[0]);
  });

  test('is built once for a cache and copied from there', async () => {
    const cache = join(temporaryFolder(), 'cache');
    const one = await realisticWorkspace('S', { folder: join(temporaryFolder(), 'w'), cache, steps: 60 });
    const kept = readdirSync(cache);
    const two = await realisticWorkspace('S', { folder: join(temporaryFolder(), 'w'), cache, steps: 60 });
    expect(readdirSync(cache)).toEqual(kept);
    expect(kept).toHaveLength(1);
    expect(two).toEqual({ ...one, folder: two.folder });
    expect(existsSync(join(two.folder, 'workspace.db'))).toBe(true);
  });

  test('what is done to a kept one is done once, to a copy', async () => {
    const cache = join(temporaryFolder(), 'cache');
    let times = 0;
    const finish = {
      name: 'noted',
      work: async (folder: string) => {
        times += 1;
        writeFileSync(join(folder, 'note'), String(times));
      },
    };
    for (let again = 0; again < 2; again += 1) {
      const { folder } = await realisticWorkspace('S', {
        folder: join(temporaryFolder(), 'w'),
        cache,
        steps: 60,
        finish,
      });
      expect(readFileSync(join(folder, 'note'), 'utf8')).toBe('1');
    }
    const plain = await realisticWorkspace('S', { folder: join(temporaryFolder(), 'w'), cache, steps: 60 });
    expect(existsSync(join(plain.folder, 'note'))).toBe(false);
    expect(readdirSync(cache)).toHaveLength(2);
  });
});
