import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExportPreview, ExportResult } from '@shared/contract/ipc/dataset';
import type { NewEvent } from '@shared/log/events';
import { RunScript } from '@shared/runs/run-fixtures';
import { describe, expect, it } from 'vitest';
import { takenEnvironment } from '../../environment/taken-environment';
import { MemoryReader } from '../../testing/memory-reader';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { parseArguments } from '../arguments';
import type { CliContext } from '../context';
import { exportCommand } from './export-commands';

const runId = (number: number) => `01KRVN${String(number).padStart(20, '0')}`;

const scripts = [1, 2, 3].map((number) => scriptOf(number));

function scriptOf(number: number, of = number) {
  const task = { id: `task ${of}`, title: 't', domain: null, hash: 'a'.repeat(64) };
  const script = new RunScript(runId(number), { task, experiment: 'with, commas', sample: 0 });
  script.startSegment().answer([{ name: 'think', args: { thought: 'hm' } }]);
  return script.answer([{ name: 'open_file', error: { code: 'not_found', message: 'No such file' } }]);
}

function reader() {
  const memory = new MemoryReader(new Map(scripts.map(({ run, events }) => [run, events])));
  return Object.assign(memory, { resolveRun: async (word: string) => word });
}

/** Writing opens the workspace itself. */
async function writing(...words: string[]) {
  return writingOf(scripts, ...words);
}

async function writingOf(runs: typeof scripts, ...words: string[]) {
  const store = testStore();
  for (const { run, events } of runs)
    await store.writer.append(run, 0, events.map(({ kind, body }) => ({ kind, body })) as NewEvent[]);
  const settings = { annotator: { uuid: 'u', name: 'Ada' }, computers: [] };
  const environment = takenEnvironment({});
  const context = { store, reader: store.reader, settings, environment } as unknown as CliContext;
  return exportCommand(context, parseArguments(['export', ...words]));
}

const exporting = (...words: string[]) =>
  exportCommand({ reader: reader() } as unknown as CliContext, parseArguments(['export', ...words]));

describe('export', () => {
  it('writes what its options say', async () => {
    const out = join(temporaryFolder(), 'out');
    const { json, lines } = await writing(
      ...['--out', out, '--variant', 'ablations', '--filter', 'experiment="with, commas",task=task 1'],
      ...['--filter', 'task=task 2', '--split', '0.5', '--seed', '9', '--undecided', 'mask'],
    );
    const result = json as ExportResult;
    expect(result.variants.map(({ variant, trained }) => [variant, trained])).toEqual([
      ['all', 0],
      ['rules', 2],
      ['judge', 4],
      ['human', 4],
      ['unmasked', 4],
    ]);
    expect(lines).toContain('human: 2 rows, 4 steps trained, 0 masked.');
    expect(lines).toContain('Left out 2 rows: no step in it is trained');
    expect(readdirSync(join(out, 'rules')).sort()).toEqual(['train.jsonl', 'validation.jsonl']);
    const manifest = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
    expect(manifest.request).toMatchObject({
      filter: { experiments: ['with, commas'], tasks: ['task 1', 'task 2'] },
      split: { share: 0.5, seed: 9 },
      undecided: 'mask',
    });
  });

  it('preview counts the same and writes nothing', async () => {
    const { json, lines } = await exporting(
      'preview',
      '--undecided',
      'train',
      '--variant',
      'all,rules',
      '--deduplicate',
    );
    const preview = json as ExportPreview;
    expect(preview).toMatchObject({
      rows: 3,
      trained: 3,
      masked: 3,
      filtered: [],
      duplicates: [],
      split: null,
    });
    expect(preview.variants.map(({ variant }) => variant)).toEqual(['all', 'rules']);
    expect(preview.longest).toHaveLength(3);
    expect(lines[0]).toMatch(/^all: 3 rows, 3 steps trained, 3 masked; about \d+ tokens/);
    expect(lines).toContain('3 steps undecided:');
    expect(lines).toContain(`  ${runId(1)}: 1`);
  });

  it('says what the format left out, and which allowed name nothing has', async () => {
    const out = join(temporaryFolder(), 'out');
    const { json, lines } = await writingOf(
      [...scripts, scriptOf(4, 1)],
      ...['--out', out, '--format', 'verl-rl', '--undecided', 'train', '--allow', 'secret-0123456789abcdef'],
    );
    const { dropped, allowedNotFound } = json as ExportResult;
    expect(dropped.length).toBeGreaterThan(0);
    for (const { reason, count } of dropped)
      expect(lines).toContain(`Left out ${count} ${count === 1 ? 'row' : 'rows'}: ${reason}`);
    expect(allowedNotFound).toEqual(['secret-0123456789abcdef']);
    expect(lines).toContainEqual(
      expect.stringMatching(/^Warning: nothing in these rows is called secret-0123456789abcdef/),
    );
  });

  it('preview of one run and a split of one task', async () => {
    await expect(exporting('preview', '--run', runId(1), '--split', '0.1')).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('only one task, task 1'),
    });
  });

  it.each<[string[], string, RegExp]>([
    [[], 'bad_input', /--out is missing/],
    [['slime'], 'bad_input', /takes no "slime"/],
    [['preview', 'more'], 'bad_input', /takes no "more"/],
    [['preview', '--format', 'csv'], 'bad_input', /--format is "csv"/],
    [
      ['preview', '--variant', 'some'],
      'bad_input',
      /--variant is "some" but must be one of all, .*ablations/,
    ],
    [['preview', '--split', '1'], 'bad_input', /--split is "1"/],
    [['preview', '--split', 'half'], 'bad_input', /--split is "half"/],
    [['preview', '--split', '0.1', '--seed', '-1'], 'bad_input', /--seed/],
    [['preview', '--seed', '1'], 'bad_input', /Add --split/],
    [['preview', '--filter', 'task=nobody'], 'export_empty', /task \(3 runs, 3 rows\)/],
    [['preview', '--compress', 'xz'], 'bad_input', /--compress is "xz"/],
    [['preview', '--encoding', 'array'], 'unsupported', /slime are not written as array/],
    [['preview', '--run', runId(9)], 'not_found', /There is no run/],
  ])('%j is refused: %s', async (words, code, message) => {
    await expect(exporting(...words)).rejects.toMatchObject({ code, message });
  });
});
