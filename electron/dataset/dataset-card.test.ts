import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExportVariant } from '@shared/contract/export-request';
import { EntryMaker } from '@shared/log/annotation-fixtures';
import { RunScript } from '@shared/runs/run-fixtures';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { MemoryReader } from '../testing/memory-reader';
import { datasetCard } from './dataset-card';
import { exportDataset } from './export-dataset';
import type { ExportRequest } from './export-request';
import type { DataFile, TargetFacts } from './targets/target';

const runId = (number: number) => `01KRVN${String(number).padStart(20, '0')}`;
const think = { name: 'think', args: { thought: 'hm' } };
const failed = { name: 'open_file', error: { code: 'not_found', message: 'No such file' } };

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-card-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Card {
  license: string;
  size_categories: string[];
  tags: string[];
  configs?: {
    config_name: string;
    default?: boolean;
    data_files: { split: string; path: string | string[] }[];
  }[];
}

/** The YAML between the first two lines of dashes, as the Hub reads it. */
function cardOf(readme: string): Card {
  const found = /^---\n([\s\S]*?)\n---\n/.exec(readme);
  expect(found).not.toBeNull();
  return parse(found?.[1] ?? '') as Card;
}

const files = (...all: [string, ExportVariant, DataFile['split'], number][]): TargetFacts =>
  ({ files: all.map(([path, variant, split, records]) => ({ path, variant, split, records })) }) as never;

const card = (facts: TargetFacts) => cardOf(datasetCard({ title: 'slime', format: 'slime' }, facts));

describe('the card', () => {
  it('names each variant and side, and one default', () => {
    const read = card(
      files(
        ['rules/train.jsonl', 'rules', 'train', 2],
        ['rules/validation.jsonl', 'rules', 'validation', 1],
        ['all/train.jsonl', 'all', 'train', 1_200],
        ['all/validation.jsonl', 'all', 'validation', 0],
      ),
    );
    expect(read.configs).toEqual([
      {
        config_name: 'rules',
        data_files: [
          { split: 'train', path: 'rules/train.jsonl' },
          { split: 'validation', path: 'rules/validation.jsonl' },
        ],
      },
      { config_name: 'all', default: true, data_files: [{ split: 'train', path: 'all/train.jsonl' }] },
    ]);
    expect(read.size_categories).toEqual(['1K<n<10K']);
    expect(read).toMatchObject({ license: 'other', tags: expect.arrayContaining(['waymark', 'slime']) });
  });

  it('calls a single variant the default, and has no configuration without a record', () => {
    expect(card(files(['train.jsonl', 'human', 'train', 3])).configs).toEqual([
      { config_name: 'default', default: true, data_files: [{ split: 'train', path: 'train.jsonl' }] },
    ]);
    expect(card(files(['train.jsonl', 'all', 'train', 0])).configs).toBeUndefined();
  });

  it('names a few files one by one and many by a pattern', () => {
    const many = (count: number) =>
      files(
        ...Array.from({ length: count }, (_, index): [string, ExportVariant, 'train', number] => [
          `train/run ${index}.json`,
          'all',
          'train',
          1,
        ]),
      );
    expect(card(many(3)).configs?.[0]?.data_files[0]?.path).toHaveLength(3);
    expect(card(many(30)).configs?.[0]?.data_files[0]?.path).toBe('train/*.json');
  });
});

describe('a dataset', () => {
  const scripts = [1, 2, 3, 4].map((number) => {
    const script = new RunScript(runId(number), {
      task: { id: `task ${number}`, title: 't', domain: null, hash: 'a'.repeat(64) },
    });
    return script.startSegment().answer([think]).answer([failed]).answer([think]);
  });
  const entries = [1, 2, 3, 4].map((number) =>
    new EntryMaker('Ada', `a${number}`, runId(number)).label(3, 'mask'),
  );
  const reader = () => new MemoryReader(new Map(scripts.map(({ run, events }) => [run, events])), entries);
  const exporting = (request: Partial<ExportRequest>) =>
    exportDataset(reader(), { undecided: 'train', out: join(folder, 'out'), ...request });
  const text = (path: string) => readFile(join(folder, 'out', path), 'utf8');

  it('of several variants and sides has a file for each, all of them counted, hashed and in the card', async () => {
    const variants: ExportVariant[] = ['all', 'rules', 'human', 'unmasked'];
    const result = await exporting({ variants, split: { share: 0.25, seed: 3 } });
    const manifest = JSON.parse(await text('manifest.json'));
    const paths = variants.flatMap((variant) => [`${variant}/train.jsonl`, `${variant}/validation.jsonl`]);
    expect(result.files.map(({ path }) => path)).toEqual([
      ...paths,
      'records.index',
      'README.md',
      'manifest.json',
    ]);
    expect(manifest).toMatchObject({
      version: 2,
      split: { share: 0.25, seed: 3, train: { length: 3 }, validation: { length: 1 } },
      request: { variants, format: 'slime', deduplicate: false, runs: [1, 2, 3, 4].map(runId) },
      redaction: { mode: 'strict' },
      arguments: 'string',
      compression: 'none',
    });
    const masks = async (path: string) =>
      (await text(path))
        .split('\n')
        .filter(Boolean)
        .map((line) =>
          (JSON.parse(line).messages as { role: string; step_loss_mask?: number }[])
            .filter(({ role }) => role === 'assistant')
            .map(({ step_loss_mask }) => step_loss_mask)
            .join(''),
        );
    const expected: Record<string, string> = { all: '100', rules: '101', human: '110', unmasked: '111' };
    for (const variant of variants) {
      expect(await masks(`${variant}/train.jsonl`)).toEqual(Array(3).fill(expected[variant]));
      expect(await masks(`${variant}/validation.jsonl`)).toEqual([expected[variant]]);
      const counts = manifest.variants.find((each: { variant: string }) => each.variant === variant);
      const trained = [...(expected[variant] ?? '')].filter((mask) => mask === '1').length * 4;
      expect(counts).toMatchObject({ rows: 4, trained, masked: 12 - trained, left_out: [] });
    }
    expect(manifest.counts).toMatchObject({ rows: 4, trained: 4, masked: 8 });
    expect(manifest.files[0]).toMatchObject({
      path: 'all/train.jsonl',
      variant: 'all',
      split: 'train',
      records: 3,
    });
    const readme = await text('README.md');
    const { configs } = cardOf(readme);
    expect(configs?.map(({ config_name }) => config_name)).toEqual(variants);
    expect(configs?.filter((config) => config.default)).toHaveLength(1);
    for (const { path } of configs?.flatMap(({ data_files }) => data_files) ?? [])
      expect(paths).toContain(path);
    expect(readme).toContain('load_dataset(dir, "unmasked")');
    expect(readme.match(/^## Load$/gm)).toHaveLength(1);
  });

  it('of several variants is replaced by the next export, and not when somebody added to it', async () => {
    await exporting({ variants: ['all', 'rules'] });
    await exporting({});
    expect((await readdir(join(folder, 'out'))).sort()).toEqual([
      'README.md',
      'manifest.json',
      'records.index',
      'train.jsonl',
    ]);
    await exporting({ variants: ['all', 'rules'] });
    const { writeFile, mkdir } = await import('node:fs/promises');
    await mkdir(join(folder, 'out', 'rules', 'mine'));
    await writeFile(join(folder, 'out', 'rules', 'mine', 'notes.txt'), 'mine');
    await expect(exporting({})).rejects.toMatchObject({ code: 'already_exists' });
  });

  it('tells what filters, deduplication and the waiver did', async () => {
    await exporting({ filter: { tasks: ['task 1', 'task 2'] }, deduplicate: true });
    const readme = await text('README.md');
    expect(readme).toContain('Filtered by task (rows left out by task: 2)');
    expect(readme).toContain('only the one with the best final score is in it; 0 runs left out');
    expect(readme).toContain('2 undecided steps were waived by name and are trained (`--undecided train`)');
    const manifest = JSON.parse(await text('manifest.json'));
    expect(manifest.filter).toEqual({
      asked: { tasks: ['task 1', 'task 2'] },
      removed: [{ by: 'tasks', runs: 2, rows: 2 }],
    });
    expect(manifest.runs).toHaveLength(2);
  });

  it('without the variant of all opinions asks for no waiver', async () => {
    const result = await exporting({ variants: ['rules'], undecided: 'refuse' });
    expect(result).toMatchObject({ rows: 4, trained: 8 });
    expect(await text('README.md')).toContain('Steps that nobody decided train');
    await expect(exporting({ variants: ['rules', 'all'], undecided: 'refuse' })).rejects.toMatchObject({
      code: 'export_undecided',
    });
  });

  it('says in the command which arguments it holds, which file to load and what of it to unpack', async () => {
    await exporting({ variants: ['all', 'rules'], arguments: 'object' });
    const readme = await text('README.md');
    expect(readme).toContain('--prompt-data all/train.jsonl');
    expect(readme).toContain('**Arguments of calls are objects.**');
    expect(readme).toContain('trains an empty `<think>` block');
    const [line] = (await text('rules/train.jsonl')).split('\n');
    expect(line).toContain('"arguments":{"thought":"hm"}');
  });
});
