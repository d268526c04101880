import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { estimateTokens } from '@shared/context/tokens';
import { EntryMaker } from '@shared/log/annotation-fixtures';
import type { RunEvent } from '@shared/log/events';
import { RunScript } from '@shared/runs/run-fixtures';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryReader } from '../testing/memory-reader';
import { type ExportedRow, exportedRows } from '../testing/sent-rows';
import { exportDataset } from './export-dataset';
import type { ExportRequest } from './export-request';
import { previewDataset } from './preview-dataset';

const first = '01KRVN00000000000000000001';
const think = { name: 'think', args: { thought: 'hm' } };
const failed = { name: 'open_file', error: { code: 'not_found', message: 'No such file' } };

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-rows-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function exported(reader: MemoryReader, more: Partial<ExportRequest> = {}) {
  const out = join(folder, 'out');
  const result = await exportDataset(reader, {
    format: 'slime',
    undecided: 'train',
    out,
    ...more,
  });
  const manifest = JSON.parse(await readFile(join(out, 'manifest.json'), 'utf8'));
  return { result, manifest, rows: await exportedRows(out) };
}

const readerOf = (script: RunScript, entries: ConstructorParameters<typeof MemoryReader>[1] = []) =>
  new MemoryReader(new Map([[first, script.events]]), entries);

describe('a row', () => {
  it('names why a person decided beside their initials, and what a run was made for', async () => {
    const script = new RunScript(first, { experiment: 'hints', arm: 'with', group: 'g', sample: 0, seed: 7 });
    const maker = new EntryMaker('Ada', 'office', first);
    const entries = [
      maker.entry(1, { op: 'label', value: 'train', reason: ' shows recovery ' }),
      maker.entry(2, { op: 'label', value: 'mask', reason: null }),
      maker.entry(3, { op: 'label', value: 'mask', reason: 'dull' }),
      new EntryMaker('Bo', 'b', first).entry(3, { op: 'adjudicate', value: 'train', reason: 'not dull' }),
    ];
    script.startSegment().answer([failed]).answer([think]).answer([think]).answer([failed]);
    const { rows, manifest } = await exported(readerOf(script, entries), { undecided: 'refuse' });
    const metadata = rows[0]?.metadata;
    expect(metadata?.steps).toMatchObject([
      { step: 1, mask: 1, source: 'human', reason: 'AD', given_reason: 'shows recovery' },
      { step: 2, mask: 0, source: 'human', reason: 'AD' },
      { step: 3, mask: 1, source: 'adjudication', reason: 'BO', given_reason: 'not dull' },
      { step: 4, mask: 0, source: 'rule', reason: 'error-observation' },
    ]);
    const without = [metadata?.steps[1], metadata?.steps[3]];
    expect(without.map((step) => step?.given_reason)).toEqual([undefined, undefined]);
    const chosen = { experiment: 'hints', arm: 'with', group: 'g', sample: 0, seed: 7 };
    expect(metadata).toMatchObject(chosen);
    expect(manifest.runs[0]).toMatchObject(chosen);
  });

  it('holds reasoning as it was chosen, and says where no step was asked so', async () => {
    const script = new RunScript(first).startSegment().answer([think], { reasoning: 'Because.' });
    const reader = readerOf(script.answer([think]));
    const seen = async (more: Partial<ExportRequest>) => {
      const { result, manifest, rows } = await exported(reader, more);
      expect(manifest.counts.not_as_sent).toBe(result.notAsSent);
      const row: ExportedRow | undefined = rows[0];
      return [
        manifest.options.reasoning,
        JSON.stringify(row?.messages).includes('"reasoning_content":"Because."'),
        row?.metadata.not_as_sent ?? null,
      ];
    };
    expect(await seen({})).toEqual(['as-sent', false, null]);
    expect(await seen({ preset: 'apollo' })).toEqual(['drop', false, null]);
    const kept = ['keep', true, [{ why: 'reasoning', messages: '2', steps: '2' }]];
    expect(await seen({ reasoning: 'keep' })).toEqual(kept);
    expect(await seen({ preset: 'apollo', reasoning: 'keep' })).toEqual(kept);
    expect(await readFile(join(folder, 'out', 'README.md'), 'utf8')).toContain('**Warning:**');
    const plans = await Promise.all(
      (['as-sent', 'keep'] as const).map((reasoning) =>
        previewDataset(reader, { format: 'slime', undecided: 'train', reasoning }),
      ),
    );
    expect((plans[1]?.tokens ?? 0) - (plans[0]?.tokens ?? 0)).toBe(estimateTokens('Because.'));
  });

  it('holds refused answers beside their prompt, with what the summariser was told', async () => {
    const script = new RunScript(first).startSegment().answer([think]).answer([think]);
    const whole = script.summarise();
    const started = whole.events.findIndex(({ kind }) => kind === 'summary.started');
    const [requested] = whole.events.slice(started + 1);
    if (requested?.kind !== 'model.requested') throw new Error('no request');
    const said = { text: 'No <real_user>', reasoning: 'Why.', calls: [], finishReason: 'stop', model: 'm' };
    const body = {
      step: 3,
      attempt: 1,
      problem: 'It is empty.',
      ...said,
      usage: null,
      cost: null,
      durationMs: 1,
    };
    const told = { ...requested.body, attempt: 2, tail: '\n\n[Not so.]', kept: true as const };
    const events = [
      ...whole.events.slice(0, started + 2),
      { ...requested, kind: 'summary.rejected' as const, body },
      { ...requested, body: told },
      ...whole.events.slice(started + 2),
    ].map((event, index): RunEvent => ({ ...event, seq: index + 1 }));
    const { rows } = await exported(new MemoryReader(new Map([[first, events]])));
    const row = rows.find(({ metadata }) => metadata.kind === 'summary');
    expect(row?.messages.at(-2)?.content).toBe('Summarise it.\n\n[Not so.]');
    expect(row?.metadata.refused).toEqual([
      { answer: { role: 'assistant', content: 'No &lt;real_user>' }, told: '[Not so.]' },
    ]);
  });
});
