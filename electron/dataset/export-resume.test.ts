import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFile, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExportOptions } from '@shared/contract/export-request';
import { exportRequestSchema } from '@shared/contract/export-request';
import { EntryMaker } from '@shared/log/annotation-fixtures';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import type { MemoryReader } from '../testing/memory-reader';
import { scriptedExport } from '../testing/scripted-export';
import { fillDisk, smallDisk } from '../testing/small-disk';
import { DatasetFolder } from './dataset-folder';
import { exportDataset, writeDataset } from './export-dataset';
import type { ExportLife } from './jobs/export-life';

const full = process.env.WAYMARK_FULL === '1';
const job = '01KRVN00000000000000000009';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-resume-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const request = (more: Partial<ExportOptions> = {}) =>
  exportRequestSchema.parse({ undecided: 'train', ...more });

const living = (
  reader: MemoryReader,
  more: Partial<ExportOptions> & { signal?: AbortSignal } = {},
  life: ExportLife = {},
) => {
  const { signal, ...options } = more;
  return writeDataset(
    reader,
    { ...request(options), out: join(folder, 'out'), signal },
    { job, workspace: '/made-up', borderEvents: 1, ...life },
  );
};

/** Stops like a killed process after some pages: what was written stays, and nothing lets go in order. */
async function stopped(
  pages: number,
  more: Partial<ExportOptions> = {},
  life: ExportLife = {},
): Promise<boolean> {
  const reader = scriptedExport();
  const controller = new AbortController();
  let left = pages;
  const { events } = reader;
  reader.events = (...args) => {
    left -= 1;
    if (left === 0) controller.abort();
    return events.apply(reader, args);
  };
  try {
    await living(reader, { ...more, signal: controller.signal }, { keeps: () => true, ...life });
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: 'cancelled' });
    return true;
  }
}

async function hashes(place: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const walk = async (below: string): Promise<void> => {
    for (const entry of await readdir(join(place, below), { withFileTypes: true })) {
      const path = join(below, entry.name);
      if (entry.isDirectory()) await walk(path);
      else
        found[path] = createHash('sha256')
          .update(await readFile(join(place, path)))
          .digest('hex');
    }
  };
  await walk('');
  return found;
}

async function whole(more: Partial<ExportOptions> = {}): Promise<Record<string, string>> {
  const out = join(folder, 'whole');
  await writeDataset(
    scriptedExport(),
    { ...request(more), out },
    { job: '01KRVN00000000000000000008', workspace: '/made-up', borderEvents: 1 },
  );
  return hashes(out);
}

const kinds: Partial<ExportOptions>[] = [
  {},
  { compression: 'gzip', variants: ['all', 'rules', 'unmasked'] },
  { compression: 'zstd', variants: ['all', 'unmasked'], split: undefined },
  { encoding: 'parquet' },
  { preset: 'apollo' },
];

describe('an export whose process is gone', () => {
  it.each(kinds)('goes on where it stopped and comes to the same bytes: %j', async (more) => {
    const expected = await whole(more);
    // A third of the pages is planning, one numbers what is taken out, one is written.
    for (const pages of [3, 75, 120, 150, 175, 218]) {
      expect(await stopped(pages, more)).toBe(true);
      const reader = scriptedExport();
      const { result } = await living(reader, more);
      expect(await hashes(result.folder)).toEqual(expected);
      expect(await readdir(folder)).toEqual(['out', 'whole']);
      await rm(result.folder, { recursive: true });
    }
  });

  it('reads again only what lies behind its last border', async () => {
    const all = scriptedExport();
    await exportDataset(all, { ...request(), out: join(folder, 'plain') });
    const total = all.reads.events;
    // Both runs are planned, and most of the second is written.
    expect(await stopped(Math.floor((total / 7) * 0.95))).toBe(true);
    const reader = scriptedExport();
    await living(reader);
    expect(reader.reads.events).toBeLessThan(0.2 * total);
  });

  it('begins anew when labels changed meanwhile, and keeps its snapshot when a person lets it go on', async () => {
    const expected = await whole();
    const label = new EntryMaker('Ada', 'office', '01KRVN00000000000000000001').label(3, 'mask');
    const relabelled = () => {
      const reader = scriptedExport();
      reader.annotationPage = async (run) => ({
        entries: run === label.target.run ? [label] : [],
        last: null,
      });
      return reader;
    };
    expect(await stopped(130)).toBe(true);
    const pinned = await living(relabelled(), {}, { goOn: 'pinned' });
    expect(await hashes(pinned.result.folder)).toEqual(expected);
    expect(await stopped(130)).toBe(true);
    const anew = await living(relabelled());
    expect(anew.result.snapshot).not.toBe(pinned.result.snapshot);
    expect(anew.result.masked).toBe(pinned.result.masked + 1);
  });

  it('does not go on for another request, another workspace or another place', async () => {
    for (const [more, life] of [
      [{ preset: 'apollo' }, {}],
      [{}, { workspace: '/other' }],
    ] as const) {
      expect(await stopped(130)).toBe(true);
      const reader = scriptedExport();
      await living(reader, more, life);
      expect(reader.reads.events).toBe(3 * scriptedEvents());
      expect(await readdir(folder)).toEqual(['out']);
      await rm(join(folder, 'out'), { recursive: true });
    }
  });

  it.each([
    [
      'a byte changed',
      async (path: string) =>
        writeFile(path, Buffer.concat([Buffer.from('x'), (await readFile(path)).subarray(1)])),
    ],
    ['the end missing', (path: string) => truncate(path, 10)],
    ['half a line behind it', (path: string) => appendFile(path, '{"messages": [')],
  ])('never trusts its data file: %s', async (_, spoil) => {
    const expected = await whole();
    expect(await stopped(218)).toBe(true);
    const [left] = await DatasetFolder.left(join(folder, 'out'));
    await spoil(join(left?.partial ?? '', 'dataset/train.jsonl'));
    const { result } = await living(scriptedExport());
    expect(await hashes(result.folder)).toEqual(expected);
  });

  it.each([
    'state',
    'heads',
    'run-01KRVN00000000000000000001',
    'head.json',
  ])('never trusts its journal: %s', async (part) => {
    const expected = await whole();
    for (const spoiled of ['', 'rubbish that is longer than a hash of thirty-two bytes, and no plan']) {
      expect(await stopped(140)).toBe(true);
      const [left] = await DatasetFolder.left(join(folder, 'out'));
      await writeFile(join(left?.partial ?? '', part), spoiled);
      const { result } = await living(scriptedExport());
      expect(await hashes(result.folder)).toEqual(expected);
      expect(await readdir(folder)).toEqual(['out', 'whole']);
      await rm(result.folder, { recursive: true });
    }
  });

  it('was killed before any change of the disk: the next one comes to the same bytes', {
    timeout: full ? 2_400_000 : 600_000,
  }, async () => {
    const entry = join(inject('storeWorkers'), 'export-child.js');
    for (const more of full ? kinds : [{ variants: ['all' as const, 'rules' as const] }]) {
      const options = JSON.stringify(request(more));
      const run = (at: number) =>
        spawnSync(process.execPath, [entry, join(folder, 'out'), String(at), options], { encoding: 'utf8' });
      const first = run(0);
      const { changes } = JSON.parse(first.stdout) as { changes: number };
      const expected = await hashes(join(folder, 'out'));
      await rm(join(folder, 'out'), { recursive: true });
      const step = full ? 1 : Math.ceil(changes / 9);
      for (let at = 1; at <= changes; at += step) {
        expect(run(at).signal).toBe('SIGKILL');
        expect((await readdir(folder)).filter((name) => !name.includes('.partial-'))).toEqual(
          at < changes - 2 ? [] : expect.anything(),
        );
        expect(run(0).stderr).toBe('');
        expect(await hashes(join(folder, 'out'))).toEqual(expected);
        expect(await readdir(folder)).toEqual(['out']);
        await rm(join(folder, 'out'), { recursive: true });
      }
    }
  });
});

const scriptedEvents = () => {
  const reader = scriptedExport(1_000_000);
  return [...(reader as unknown as { logs: Map<string, unknown[]> }).logs.values()].reduce(
    (sum, log) => sum + log.length,
    0,
  );
};

describe('a full disk', () => {
  it('is named, leaves nothing, and the export is whole once there is room', async () => {
    const disk = smallDisk('size=400k');
    if (disk === null) return;
    const out = join(disk, 'out');
    const life = { job, workspace: '/made-up', borderEvents: 1 };
    const filler = fillDisk(disk);
    await truncate(filler, 250_000);
    const failed = writeDataset(
      scriptedExport(),
      { ...request({ variants: ['all', 'rules', 'human', 'unmasked'] }), out },
      life,
    );
    await expect(failed).rejects.toMatchObject({ code: 'disk_full', message: expect.stringContaining(out) });
    expect(await readdir(disk)).toEqual(['filler']);
    await rm(filler);
    const { result } = await writeDataset(scriptedExport(), { ...request(), out }, life);
    expect(result.rows).toBeGreaterThan(10);
  });
});
