import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportFormats } from '@shared/contract/export-request';
import { RunScript } from '@shared/runs/run-fixtures';
import { describe, expect, it } from 'vitest';
import { MemoryReader } from '../testing/memory-reader';
import { temporaryFolder } from '../testing/store-fixtures';
import { exportDataset } from './export-dataset';
import { verifyDataset } from './past/verify-dataset';

const run = '01KRVN00000000000000000001';
const script = new RunScript(run).startSegment();
script
  .answer([{ name: 'think', args: { thought: 'hm' } }])
  .answer([{ name: 'open_file', error: { code: 'not_found', message: 'No such file' } }])
  .summarise()
  .answer([{ name: 'run_command', args: { command: 'ls' }, text: 'a.txt\n' }]);
const reader = new MemoryReader(new Map([[run, script.events]]));

/** Formats that are made from what a single run without votes and corrections does not have. */
const needMore = new Set(['dpo', 'rm', 'prm', 'rlanything-policy', 'rlanything-reward']);

describe.each(exportFormats)('the format %s', (format) => {
  const writing = (out: string) =>
    exportDataset(reader, { format, undecided: 'train', variants: ['all', 'unmasked'], out });

  if (needMore.has(format)) {
    it('is refused where nothing of a run fits it, and nothing is written', async () => {
      const out = join(temporaryFolder(), 'out');
      const refusal = writing(out);
      await expect(refusal).rejects.toMatchObject({ code: 'export_empty' });
      await expect(refusal).rejects.toThrow(/so nothing was written\. Choose other runs or another format/);
      await expect(readFile(join(out, 'manifest.json'))).rejects.toThrow('ENOENT');
    });
    return;
  }

  it('is written in two variants, and found to be what its workspace gives', async () => {
    const out = join(temporaryFolder(), 'out');
    const { rows, files, variants } = await writing(out);
    expect(rows).toBeGreaterThan(0);
    expect(variants.map(({ variant }) => variant)).toEqual(['all', 'unmasked']);
    expect(files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['README.md', 'manifest.json', 'records.index']),
    );
    const readme = await readFile(join(out, 'README.md'), 'utf8');
    expect(readme).toContain('## Load');
    expect(readme).not.toMatch(/undefined|\[object/);
    expect(await verifyDataset(out, reader)).toMatchObject({ ok: true, problems: [], notes: [] });
  });
});
