import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ExportOptions, exportRequestSchema } from '@shared/contract/export-request';
import { EntryMaker } from '@shared/log/annotation-fixtures';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { scriptedExport } from '../../testing/scripted-export';
import { testStore } from '../../testing/store-fixtures';
import { exportDataset } from '../export-dataset';
import { verifyDataset } from './verify-dataset';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-verify-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function written(more: Partial<ExportOptions> = {}): Promise<string> {
  const options = exportRequestSchema.parse({ undecided: 'train', redact: 'off', ...more });
  return (await exportDataset(scriptedExport(), { ...options, out: join(folder, 'out') })).folder;
}

/** Somebody who changes a file and makes the manifest agree. */
async function changed(out: string, path: string, change: (text: string) => string): Promise<void> {
  const place = join(out, path);
  const before = await readFile(place);
  const after = Buffer.from(change(before.toString()));
  await writeFile(place, after);
  const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  const manifest = (await readFile(join(out, 'manifest.json'), 'utf8')).replace(hash(before), hash(after));
  const sized = manifest.replace(`"bytes": ${before.length}`, `"bytes": ${after.length}`);
  await writeFile(join(out, 'manifest.json'), sized);
}

describe('a dataset', () => {
  it.each<Partial<ExportOptions>>([
    {},
    { compression: 'gzip', variants: ['all', 'rules'] },
    { compression: 'zstd', preset: 'apollo' },
    { encoding: 'parquet' },
  ])('that nobody touched is well: %j', async (more) => {
    const check = await verifyDataset(await written(more), scriptedExport());
    expect(check).toMatchObject({ ok: true, problems: [], notes: [] });
    expect(check.records).toBeGreaterThan(10);
  });

  it('with a mask that was turned is found by its line, also when the manifest was made to agree', async () => {
    const out = await written();
    await changed(out, 'train.jsonl', (text) => {
      const lines = text.split('\n');
      lines[2] = lines[2]?.replace('"step_loss_mask":1', '"step_loss_mask":0') ?? '';
      return lines.join('\n');
    });
    const { ok, problems } = await verifyDataset(out, scriptedExport());
    expect(ok).toBe(false);
    expect(problems).toEqual([
      {
        file: 'train.jsonl',
        line: 3,
        what: expect.stringMatching(/step_loss_mask is 0; by the labels .* it is 1/),
      },
    ]);
  });

  it.each<[string, (out: string) => Promise<unknown>, RegExp]>([
    [
      'a byte',
      async (out) =>
        writeFile(join(out, 'README.md'), `x${(await readFile(join(out, 'README.md'), 'utf8')).slice(1)}`),
      /sha256/,
    ],
    ['a file more', (out) => writeFile(join(out, 'more.jsonl'), ''), /does not name this file/],
    ['a file less', (out) => rm(join(out, 'train.jsonl')), /it is not there/],
    [
      'a link',
      async (out) => {
        await rm(join(out, 'README.md'));
        await symlink('/etc/passwd', join(out, 'README.md'));
      },
      /link/,
    ],
    [
      'a line less',
      (out) => changed(out, 'train.jsonl', (text) => text.slice(text.indexOf('\n') + 1)),
      /records/,
    ],
    ['half a line', (out) => changed(out, 'train.jsonl', (text) => text.slice(0, -20)), /cut off|end/],
    [
      'an index that lies',
      (out) => changed(out, 'records.index', (text) => text.replace('"segment":1', '"segment":2')),
      /segment is 2/,
    ],
  ])('that differs by %s is named', async (_, spoil, what) => {
    const out = await written();
    await spoil(out);
    const { ok, problems } = await verifyDataset(out, scriptedExport());
    expect(ok).toBe(false);
    expect(problems.some((problem) => what.test(problem.what))).toBe(true);
  });

  it.each<[string, RegExp]>([
    [
      'variants.1.trained',
      /^It says \d+ trained steps in variant rules; the index of its records has \d+\.$/,
    ],
    ['variants.1.masked', /^It says \d+ masked steps in variant rules; /],
    ['variants.1.trajectories.summary', /^It says \d+ rows of kind summary in variant rules; /],
    ['composition.0.runs', /^It says \d+ runs of task [^;]+; the index of its records has \d+\.$/],
    ['composition.0.rows', /^It says \d+ rows of task /],
    ['composition.0.trained', /^It says \d+ trained steps of task /],
    ['counts.trained', /^It says something else under counts\.trained than for its first variant, all\.$/],
    ['counts.rows', /^It says something else under counts\.rows /],
    ['counts.trajectories.react', /^It says something else under counts\.trajectories /],
    ['composition.0.masked', /^It says \d+ masked steps of task /],
  ])('whose manifest says another number of %s is named, with the number that it has', async (name, what) => {
    const out = await written({ variants: ['all', 'rules'], preset: 'apollo' });
    const place = join(out, 'manifest.json');
    const manifest = JSON.parse(await readFile(place, 'utf8'));
    const path = name.split('.');
    const field = path.pop() ?? '';
    path.reduce((part, key) => part[key], manifest)[field] += 1;
    await writeFile(place, `${JSON.stringify(manifest, null, 2)}\n`);
    const { problems } = await verifyDataset(out, scriptedExport());
    expect(problems).toEqual([{ file: 'manifest.json', line: null, what: expect.stringMatching(what) }]);
  });

  it('is compared with the labels of its own snapshot, and says that there are others by now', async () => {
    const out = await written();
    const label = new EntryMaker('Ada', 'office', '01KRVN00000000000000000001').label(3, 'mask');
    const reader = scriptedExport();
    reader.annotationPage = async (run) => ({ entries: run === label.target.run ? [label] : [], last: null });
    const check = await verifyDataset(out, reader);
    expect(check).toMatchObject({
      ok: true,
      notes: [expect.stringContaining('Labels have changed since: 1 entry')],
    });
  });

  it('of a run that is gone is checked as far as it goes', async () => {
    const out = await written();
    const reader = scriptedExport();
    reader.run = () => Promise.reject(new (class extends Error {})('gone'));
    await expect(verifyDataset(out, reader)).rejects.toThrow('gone');
    await expect(verifyDataset(folder, scriptedExport())).rejects.toMatchObject({ code: 'not_found' });
  });

  it('whose texts were purged since is not called different: it still holds what the workspace has given up', async () => {
    const store = testStore();
    const writer = new RunWriter(store, await createRun(store));
    await writer.start();
    for (let step = 1; step <= 3; step += 1) await writer.command(`make part-${step}`, 'done');
    const request = exportRequestSchema.parse({ undecided: 'train', redact: 'off' });
    const out = (await exportDataset(store.reader, { ...request, out: join(folder, 'out') })).folder;
    expect(await verifyDataset(out, store.reader)).toMatchObject({ ok: true, notes: [] });
    await store.writer.remove(writer.run, 'text', alice);
    const { ok, problems, notes } = await verifyDataset(out, store.reader);
    expect({ ok, problems }).toEqual({ ok: true, problems: [] });
    expect(notes).toEqual([expect.stringMatching(/texts of run \w+ were purged since/)]);
  });
});
