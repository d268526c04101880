import { spawnSync } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EntryMaker } from '@shared/log/annotation-fixtures';
import type { AnnotationEntry } from '@shared/log/annotations';
import { evaluated } from '@shared/log/event-fixtures';
import type { EventBody } from '@shared/log/events';
import { RunScript } from '@shared/runs/run-fixtures';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryReader } from '../testing/memory-reader';
import { exportDataset } from './export-dataset';
import { previewDataset } from './preview-dataset';

const first = '01KRVN00000000000000000001';
const second = '01KRVN00000000000000000002';
const think = { name: 'think', args: { thought: 'hm' } };
const failed = { name: 'open_file', error: { code: 'not_found', message: 'No such file' } };

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-dataset-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function readerOf(scripts: RunScript[], entries: AnnotationEntry[] = []): MemoryReader {
  return new MemoryReader(new Map(scripts.map((script) => [script.run, script.events])), entries);
}

const ada = (run: string) => new EntryMaker('Ada', 'office', run);

const exporting = (reader: MemoryReader, more: Partial<Parameters<typeof exportDataset>[1]> = {}) =>
  exportDataset(reader, {
    format: 'slime',
    undecided: 'refuse',
    out: join(folder, 'out'),
    ...more,
  });

interface Row {
  messages: { role: string; content: string; step_loss_mask?: number; tool_calls?: unknown[] }[];
  tools: unknown[];
  metadata: Record<string, unknown>;
}

async function rowsOf(name = 'out'): Promise<Row[]> {
  const text = await readFile(join(folder, name, 'train.jsonl'), 'utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Row);
}

const masksOf = (row: Row | undefined) =>
  row?.messages.filter(({ role }) => role === 'assistant').map(({ step_loss_mask }) => step_loss_mask);

function twoSegments(run: string): RunScript {
  const script = new RunScript(run).startSegment();
  script
    .answer([think])
    .answer([failed])
    .answer([{ name: 'run_command', raw: '{ "command" : "ls" }' }]);
  return script.startSegment().answer([think]).answer([]);
}

describe('export', () => {
  it('writes one row per segment with explicit masks, tools and verbatim arguments', async () => {
    const script = twoSegments(first);
    const result = await exporting(readerOf([script], [ada(first).label([1, 5], 'train')]));
    expect(result).toMatchObject({ rows: 2, trained: 3, masked: 2, dropped: [] });
    const [one, two] = await rowsOf();
    expect([masksOf(one), masksOf(two)]).toEqual([
      [1, 0, 1],
      [1, 0],
    ]);
    expect(one?.tools).toHaveLength(1);
    expect(one?.messages.slice(0, 2).map(({ role }) => role)).toEqual(['system', 'user']);
    expect(JSON.stringify(one?.messages)).toContain(JSON.stringify('{ "command" : "ls" }'));
    expect(one?.metadata).toMatchObject({ source_name: 'waymark', run: first, segment: 1, task: 'made-up' });
    expect(JSON.stringify(one?.metadata)).not.toContain('null');
  });

  it.each<[string, boolean, (boolean | undefined)[], boolean]>([
    ['an older log', false, [undefined], false],
    ['an older log of a run with an evaluator apart', true, [undefined], true],
    ['every evaluation apart', false, [true, true], true],
    ['one that was not', true, [true, false], false],
    ['no evaluation', true, [], true],
  ])('marks rows and manifest where the agent could reach the evaluator: %s', async (_, asSetUp, each, marked) => {
    const script = new RunScript(first, { evaluatorIsolated: asSetUp }).startSegment().answer([think]);
    for (const isolated of each) {
      script.add('evaluation.ended', evaluated(1, 50, { raw: 5, isolated }));
    }
    await exporting(readerOf([script], [ada(first).label(1, 'train')]));
    expect((await rowsOf())[0]?.metadata).toMatchObject({ evaluator_isolated: marked });
    const manifest = JSON.parse(await readFile(join(folder, 'out/manifest.json'), 'utf8'));
    expect(manifest.runs[0]).toMatchObject({ evaluator_isolated: marked });
  });

  it('marks rows and manifest where evaluations found protected files changed', async () => {
    const scripts = [first, second].map((run) => new RunScript(run).startSegment().answer([think]));
    const scored = evaluated(1, 50, { raw: 5, isolated: true });
    for (const protectedChanged of [['b.py', 'a.py'], [], ['a.py', 'c.py']])
      scripts[0]?.add('evaluation.ended', { ...scored, protectedChanged });
    scripts[1]?.add('evaluation.ended', { ...scored, protectedChanged: [] });
    await exporting(readerOf(scripts, [ada(first).label(1, 'train'), ada(second).label(1, 'train')]));
    const marked = { evaluations: 2, paths: ['b.py', 'a.py', 'c.py'] };
    expect((await rowsOf()).map(({ metadata }) => metadata.protected_changed)).toEqual([marked, undefined]);
    const { runs } = JSON.parse(await readFile(join(folder, 'out/manifest.json'), 'utf8'));
    expect(runs.map((run: Record<string, unknown>) => run.protected_changed)).toEqual([marked, undefined]);
    expect(await readFile(join(folder, 'out/README.md'), 'utf8')).toContain('metadata.protected_changed');
  });

  it('carries masks that agree with its counts and with the preview', async () => {
    const reader = readerOf([twoSegments(first), twoSegments(second)]);
    const result = await exporting(reader, { undecided: 'train' });
    const rows = await rowsOf();
    const masks = rows.flatMap((row) => masksOf(row) ?? []);
    expect([result.rows, result.trained, result.masked]).toEqual([
      rows.length,
      masks.filter((mask) => mask === 1).length,
      masks.filter((mask) => mask === 0).length,
    ]);
    const preview = await previewDataset(reader, { format: 'slime', undecided: 'train' });
    expect(preview).toMatchObject({ rows: result.rows, trained: result.trained, masked: result.masked });
    expect(preview.undecided.map(({ run, steps }) => [run, steps])).toEqual([
      [first, [1, 3, 4]],
      [second, [1, 3, 4]],
    ]);
    expect(preview.bySource).toEqual([
      { source: 'rule', value: 'mask', count: 4 },
      { source: 'waiver', value: 'train', count: 6 },
    ]);
  });

  it('refuses undecided steps, naming them and the way out, and writes nothing', async () => {
    const reader = readerOf([twoSegments(first), twoSegments(second)]);
    await expect(exporting(reader)).rejects.toMatchObject({
      code: 'export_undecided',
      message: `6 steps are undecided: run ${first}, steps 1, 3-4, and 1 more run. Label them, or waive them explicitly with --undecided train or --undecided mask.`,
      detail: `${first}: 1, 3-4\n${second}: 1, 3-4`,
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it('counts people who differ as undecided', async () => {
    const entries = [ada(first).label(1, 'train'), new EntryMaker('Bo', 'b', first).label(1, 'mask')];
    const script = new RunScript(first).startSegment().answer([think]);
    await expect(exporting(readerOf([script], entries))).rejects.toMatchObject({ code: 'export_undecided' });
  });

  it('drops rows without a trained step, with the reason', async () => {
    const script = twoSegments(first);
    const maker = ada(first);
    const reader = readerOf([script], [maker.label([1, 3], 'mask'), maker.label([4, 5], 'train')]);
    const result = await exporting(reader);
    expect(result).toMatchObject({
      rows: 1,
      trained: 1,
      masked: 1,
      dropped: [{ reason: 'nothing_trained', count: 1 }],
    });
  });

  it('drops what was purged and what the paper calls too long, and repeats rows for it', async () => {
    const purged = twoSegments(first).add('text.purged', { from: 1, to: 3, by: 'Ada' });
    const long = new RunScript(second).startSegment();
    long.answer([{ ...think, text: 'word '.repeat(100_000) }], { usage: null });
    const reader = readerOf([purged, long]);
    const result = await exporting(reader, { undecided: 'train', preset: 'apollo' });
    expect(result).toMatchObject({
      rows: 7,
      trained: 1,
      dropped: [
        { reason: 'over_context', count: 1 },
        { reason: 'text_purged', count: 1 },
      ],
    });
    expect(new Set((await rowsOf()).map((row) => JSON.stringify(row))).size).toBe(1);
  });

  it('says when there is nothing to export', async () => {
    await expect(exporting(readerOf([]))).rejects.toMatchObject({ code: 'export_empty' });
    await expect(exporting(readerOf([new RunScript(first)]))).rejects.toMatchObject({ code: 'export_empty' });
    await expect(exporting(readerOf([]), { runs: [first] })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('gives the same bytes for the same snapshot, in whatever order runs are named and entries lie', async () => {
    const scripts = [twoSegments(first), twoSegments(second)];
    const entries = [ada(first).label([1, 5], 'train'), ada(second).label([1, 5], 'train')];
    const one = await exporting(readerOf(scripts, entries), {
      runs: [second, first],
      out: join(folder, 'a'),
    });
    const two = await exporting(readerOf(scripts, [...entries].reverse()), { out: join(folder, 'b') });
    expect(two.files).toEqual(one.files);
    expect(two.snapshot).toBe(one.snapshot);
    for (const file of ['train.jsonl', 'README.md', 'manifest.json']) {
      expect(await readFile(join(folder, 'b', file))).toEqual(await readFile(join(folder, 'a', file)));
    }
    const more = [...entries, ada(first).entry(1, { op: 'comment', text: 'hm' })];
    const three = await exporting(readerOf(scripts, more), { out: join(folder, 'c') });
    expect(three.snapshot).not.toBe(one.snapshot);
  });

  it('names waiver, counts by reason, rules and files in the manifest', async () => {
    const refused = exporting(readerOf([twoSegments(first)]), { undecided: 'mask', runs: [first] });
    await expect(refused).rejects.toMatchObject({
      code: 'export_empty',
      detail: 'no step in it is trained: 2',
    });
    await exporting(readerOf([twoSegments(first)]), { undecided: 'train' });
    const manifest = JSON.parse(await readFile(join(folder, 'out', 'manifest.json'), 'utf8'));
    expect(manifest.waiver).toEqual({
      undecided: 'train',
      steps: 3,
      runs: [{ run: first, steps: '1, 3-4' }],
    });
    expect(manifest.counts.labels).toEqual([
      { source: 'rule', reason: 'error-observation', value: 'mask', count: 1 },
      { source: 'rule', reason: 'null', value: 'mask', count: 1 },
      { source: 'waiver', reason: 'undecided', value: 'train', count: 3 },
    ]);
    expect(manifest.snapshot.rule_sets[0].rules.map(({ id }: { id: string }) => id)).toContain('blind-edit');
    expect(manifest.files.map(({ path }: { path: string }) => path)).toEqual([
      'train.jsonl',
      'records.index',
      'README.md',
    ]);
    expect(await readFile(join(folder, 'out', 'README.md'), 'utf8')).toContain('--loss-mask-type qwen3');
  });

  it('names the model that sampled each row, and all of a run, after a change of model', async () => {
    const script = new RunScript(first).startSegment().answer([think]);
    const created = script.events[0]?.body as EventBody<'run.created'>;
    const other = { ...created.model, model: 'other', contextTokens: 1 };
    script.add('model.changed', { model: other, request: { model: 'other' }, by: 'Ada' });
    script.answer([think]).startSegment().answer([think]);
    await exporting(readerOf([script]), { undecided: 'train' });
    const before = created.model.model;
    const seen = (await rowsOf()).map(({ metadata }) => ({
      row: metadata.model,
      steps: (metadata.steps as { model?: string }[]).map(({ model }) => model ?? null),
    }));
    expect(seen).toEqual([
      { row: 'other', steps: [before, null] },
      { row: 'other', steps: [null] },
    ]);
    const manifest = JSON.parse(await readFile(join(folder, 'out', 'manifest.json'), 'utf8'));
    expect(manifest.runs[0].models).toEqual([before, 'other']);
    expect(manifest.counts.over_context).toBe(2);
  });

  it('leaves out a step that is still running', async () => {
    const script = new RunScript(first)
      .startSegment()
      .answer([think])
      .answer([{ ...think, unobserved: true }]);
    const result = await exporting(readerOf([script], [ada(first).label(1, 'train')]));
    expect(result).toMatchObject({ rows: 1, trained: 1, masked: 0 });
  });

  it('replaces half characters, which would stop a tokenizer', async () => {
    const script = new RunScript(first).startSegment().answer([{ ...think, text: 'cut \ud83d' }]);
    await exporting(readerOf([script]), { undecided: 'train' });
    expect((await rowsOf())[0]?.messages.at(-1)?.content).toBe('cut \ufffd');
  });
});

/** Steps 1-4, summary 5 of 1-2; 6-7, summary 8 of 5's pair and 3; 9. */
function summarised(run: string): RunScript {
  const script = new RunScript(run).startSegment();
  for (let step = 0; step < 4; step += 1) script.answer([think]);
  script.summarise().answer([think]).answer([failed]).summarise();
  return script.answer([think]);
}

describe('summary turns', () => {
  it('are rows of their own, one fewer than segments; the answer trains there and nowhere else', async () => {
    const script = summarised(first);
    const result = await exporting(readerOf([script], [ada(first).label([1, 9], 'train')]));
    const rows = await rowsOf();
    expect(rows.map(({ metadata }) => [metadata.kind, metadata.segment])).toEqual([
      ['react', 1],
      ['summary', 1],
      ['react', 2],
      ['summary', 2],
      ['react', 3],
    ]);
    const contents = rows.map(({ messages }) =>
      messages.map(({ role, content }) => [role, content.slice(0, 13)].join(': ')),
    );
    expect(contents[1]).toEqual([
      ...['system: You summarise', 'assistant: Thought 1', 'tool: Observation 1', 'assistant: Thought 2'],
      ...['tool: Observation 2', 'user: Summarise it.', 'assistant: I summarise 5'],
    ]);
    expect(contents[3]?.slice(1, 6)).toEqual([
      ...[
        'assistant: Summary 5',
        'user: Go on. Observ',
        'assistant: Thought 3',
        'tool: Observation 3',
        'user: Summarise it.',
      ],
    ]);
    expect(rows[1]?.tools).toMatchObject([{ function: { name: 'keep_state' } }]);
    expect(rows.map(masksOf)).toEqual([
      [1, 1, 1, 1],
      [0, 0, 1],
      [0, 0, 0, 1, 0],
      [0, 0, 1],
      [0, 0, 0, 0, 1],
    ]);
    expect(result).toMatchObject({ rows: 5, trained: 8, masked: 1 });
    expect(rows[1]?.metadata.steps).toMatchObject([{ step: 5, mask: 1 }]);
    const manifest = JSON.parse(await readFile(join(folder, 'out', 'manifest.json'), 'utf8'));
    expect(manifest.counts.trajectories).toEqual({ react: 3, summary: 2 });
  });

  it('train once they were accepted, without a person and with any preset; masked they are left out', async () => {
    const maker = ada(first);
    const entries = [maker.label([1, 4], 'train'), maker.label([6, 9], 'train')];
    expect(await exporting(readerOf([summarised(first)], entries))).toMatchObject({ rows: 5, dropped: [] });
    expect(
      await previewDataset(readerOf([summarised(first)], entries), {
        format: 'slime',
        undecided: 'refuse',
        preset: 'apollo',
      }),
    ).toMatchObject({ undecided: [] });
    const result = await exporting(readerOf([summarised(first)], [...entries, maker.label(5, 'mask')]));
    expect(result).toMatchObject({ rows: 4, dropped: [{ reason: 'nothing_trained', count: 1 }] });
  });

  it('are repeated, and carried steps train wherever they stand, as the paper did it', async () => {
    const script = summarised(first);
    const reader = readerOf([script], [ada(first).label([1, 9], 'train')]);
    const result = await exporting(reader, { preset: 'apollo' });
    expect(result.rows).toBe(3 * 7 + 2 * 10);
    const rows = await rowsOf();
    expect(rows).toHaveLength(result.rows);
    const react = [
      ...new Set(
        rows
          .filter(({ metadata }) => metadata.kind === 'react')
          .map(masksOf)
          .map(String),
      ),
    ];
    expect(react).toEqual(['1,1,1,1', '0,1,1,1,0', '0,1,1,0,1']);
    const summary = [
      ...new Set(
        rows
          .filter(({ metadata }) => metadata.kind === 'summary')
          .map(masksOf)
          .map(String),
      ),
    ];
    expect(summary).toEqual(['0,0,1']);
    expect(rows.at(-1)?.metadata.carried).toEqual([
      { step: 4, mask: 1 },
      { step: 6, mask: 1 },
      { step: 7, mask: 0 },
    ]);
    expect(
      await previewDataset(reader, { format: 'slime', undecided: 'refuse', preset: 'apollo' }),
    ).toMatchObject({ rows: result.rows, trained: result.trained, masked: result.masked });
    const once = await exporting(reader, { preset: 'apollo', carried: 'once' });
    expect(once.rows).toBe(result.rows);
    expect(await rowsOf().then((all) => all.some(({ metadata }) => 'carried' in metadata))).toBe(false);
  });

  /** A run of three steps, and a branch with all of them in its context and one of its own. */
  function aBranch() {
    const parent = new RunScript(first).startSegment().answer([think]).answer([think]).answer([failed]);
    const branch = new RunScript(second, { parent: { run: first, step: 3 } }).startSegment();
    const body = <K extends 'model.answered' | 'action.observed'>(kind: K, step: number) =>
      parent.events.flatMap((event) =>
        event.kind === kind && 'step' in event.body && event.body.step === step ? [event.body] : [],
      ) as EventBody<K>[];
    for (const step of [1, 2, 3]) {
      const [answered] = body('model.answered', step);
      if (!answered) throw new Error('no answer');
      const observed = body('action.observed', step);
      branch.add('step.inherited', { run: first, answered, observed, taught: null, delivered: [] });
    }
    branch.step = 3;
    branch.answer([think]);
    return readerOf([parent, branch], [ada(first).label([1, 3], 'train'), ada(second).label(4, 'train')]);
  }

  it('leave the steps a branch inherited to the run that sampled them', async () => {
    const reader = aBranch();
    const result = await exporting(reader);
    expect(result).toMatchObject({ rows: 2, trained: 3, masked: 1 });
    expect((await rowsOf()).map(masksOf)).toEqual([
      [1, 1, 0],
      [0, 0, 0, 1],
    ]);
    await exporting(reader, { carried: 'paper' });
    expect((await rowsOf()).map(masksOf)).toEqual([
      [1, 1, 0],
      [1, 1, 0, 1],
    ]);
  });

  it('name the inherited steps that are masked because their own run is not exported', async () => {
    const reader = aBranch();
    expect((await exporting(reader, { carried: 'paper' })).inherited).toEqual([]);
    const alone = { preset: 'apollo' as const, runs: [second] };
    const result = await exporting(reader, alone);
    expect((await rowsOf()).map(masksOf)).toEqual(Array(7).fill([0, 0, 0, 1]));
    expect(result.inherited).toEqual([{ run: first, steps: 3 }]);
    expect(
      (await previewDataset(reader, { ...alone, format: 'slime', undecided: 'refuse' })).inherited,
    ).toEqual([{ run: first, steps: 3 }]);
    const manifest = JSON.parse(await readFile(join(folder, 'out', 'manifest.json'), 'utf8'));
    expect(manifest.counts.inherited_masked).toEqual([{ run: first, steps: '1-3' }]);
    // Where a step trains once, it was never to train here.
    expect((await exporting(reader, { runs: [second] })).inherited).toEqual([]);
  });

  it('are left out with everything that rests on purged texts', async () => {
    const script = summarised(first).add('text.purged', { from: 5, to: 5, by: 'Ada' });
    const result = await exporting(readerOf([script], [ada(first).label([1, 9], 'train')]));
    expect((await rowsOf()).map(({ metadata }) => [metadata.kind, metadata.segment])).toEqual([['react', 1]]);
    expect(result.dropped).toEqual([{ reason: 'text_purged', count: 4 }]);
  });
});

describe('the folder', () => {
  const reader = () => readerOf([twoSegments(first)]);

  it('replaces an earlier export and nothing else', async () => {
    await exporting(reader(), { undecided: 'train' });
    await exporting(reader(), { undecided: 'train', preset: 'apollo' });
    expect(await rowsOf()).toHaveLength(14);
    await writeFile(join(folder, 'out', 'notes.txt'), 'mine');
    await expect(exporting(reader(), { undecided: 'train' })).rejects.toMatchObject({
      code: 'already_exists',
    });
    expect(await readFile(join(folder, 'out', 'notes.txt'), 'utf8')).toBe('mine');
  });

  it('refuses a folder with a manifest of another program, and a file', async () => {
    await mkdir(join(folder, 'other'));
    await writeFile(join(folder, 'other', 'manifest.json'), '[]');
    const file = join(folder, 'file');
    await writeFile(file, '');
    for (const out of [join(folder, 'other'), file]) {
      await expect(exporting(reader(), { undecided: 'train', out })).rejects.toMatchObject({
        code: 'already_exists',
      });
    }
  });

  it('goes to what a link leads to, again and again, and the link stays', async () => {
    const [real, link] = [join(folder, 'real'), join(folder, 'link')];
    await exporting(reader(), { undecided: 'train', out: real });
    await symlink(real, link);
    await exporting(reader(), { undecided: 'train', preset: 'apollo', out: link });
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await rowsOf('real')).toHaveLength(14);
    expect((await readdir(folder)).sort()).toEqual(['link', 'real']);
  });

  it('takes an empty folder and makes missing ones', async () => {
    await mkdir(join(folder, 'empty'));
    await exporting(reader(), { undecided: 'train', out: join(folder, 'empty') });
    await exporting(reader(), { undecided: 'train', out: join(folder, 'a', 'b') });
    expect(await readdir(join(folder, 'a', 'b'))).toHaveLength(4);
  });

  it('keeps the earlier export whole when the next one fails or is cancelled half-way', async () => {
    await exporting(reader(), { undecided: 'train' });
    const before = await rowsOf();
    const long = twoSegments(first);
    for (let i = 0; i < 20; i += 1) long.answer([think]);
    const failing = new MemoryReader(new Map([[first, long.events]]));
    const original = failing.events.bind(failing);
    failing.events = async (run, from, limit) => {
      if (failing.reads.events > long.events.length + 20) throw new Error('disk gone');
      return original(run, from, limit);
    };
    await expect(exporting(failing, { undecided: 'train' })).rejects.toThrow('disk gone');
    const controller = new AbortController();
    const cancelled = exporting(readerOf([long]), {
      undecided: 'train',
      signal: controller.signal,
      onProgress: ({ done, total }) => done > total / 2 && controller.abort(),
    });
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
    expect(await rowsOf()).toEqual(before);
    expect(await readdir(folder)).toEqual(['out']);
  });

  it('clears what a killed export left, and puts back what it had moved away', async () => {
    await exporting(reader(), { undecided: 'train' });
    const dead = spawnSync('true').pid;
    await rename(join(folder, 'out'), join(folder, `out.partial-${dead}-00000000-old`));
    await mkdir(join(folder, `out.partial-${dead}-11111111`));
    await expect(exporting(readerOf([]))).rejects.toMatchObject({ code: 'export_empty' });
    await exporting(reader(), { undecided: 'train', preset: 'apollo' });
    expect(await readdir(folder)).toEqual(['out']);
  });
});

describe('slime', () => {
  const python = spawnSync('python3', ['--version']).status === 0;

  it.skipIf(!python)('would load every row (needs python3)', async () => {
    const script = twoSegments(first);
    script.answer([think, { name: 'run_command', args: { command: 'echo 你好' } }], {
      reasoning: 'Because 你好.',
    });
    script.add('hint.delivered', { step: 6, hints: [], text: '\n\n<real_user>look</real_user>' });
    script.answer([{ name: 'run_command', raw: '{broken', invalid: 'Not JSON' }, think]);
    const third = '01KRVN00000000000000000003';
    const scripts = [script, twoSegments(second), summarised(third)];
    const result = await exporting(readerOf(scripts), { undecided: 'train' });
    const checker = join(import.meta.dirname, '..', 'testing', 'slime-load.py');
    const loaded = spawnSync('python3', [checker, join(folder, 'out', 'train.jsonl')], { encoding: 'utf8' });
    expect(JSON.parse(loaded.stdout)).toEqual({
      rows: result.rows,
      trained: result.trained,
      // Steps that stand as context only are masked messages, and no step of the row.
      masked: (await rowsOf()).flatMap((row) => masksOf(row) ?? []).filter((mask) => mask === 0).length,
      problems: [],
    });
  });

  it.skipIf(!python)('the check finds what it is meant to find (needs python3)', async () => {
    const path = join(folder, 'bad.jsonl');
    await writeFile(
      path,
      '{"messages":[{"role":"assistant","content":"x","step_loss_mask":0.5}],"tools":{},"metadata":{}}\n',
    );
    const checker = join(import.meta.dirname, '..', 'testing', 'slime-load.py');
    const loaded = spawnSync('python3', [checker, path], { encoding: 'utf8' });
    expect(loaded.status).toBe(1);
    expect(JSON.parse(loaded.stdout).problems).toHaveLength(3);
  });
});

describe('long runs', () => {
  it('are read page by page, three times, and held one context at a time', async () => {
    const script = new RunScript(first);
    for (let segment = 0; segment < 40; segment += 1) {
      script.startSegment();
      for (let i = 0; i < 50; i += 1) script.answer([{ ...think, text: `out ${i} `.repeat(200) }]);
    }
    const reader = new MemoryReader(new Map([[first, script.events]]), [], 500);
    const progress: number[] = [];
    const result = await exporting(reader, {
      undecided: 'train',
      onProgress: ({ done, total }) => progress.push(done / total),
    });
    expect(result).toMatchObject({ rows: 40, trained: 2_000, masked: 0 });
    expect(reader.reads.largest).toBeLessThanOrEqual(500);
    // To plan, to number what is taken out, to write.
    expect(reader.reads.events).toBeLessThanOrEqual(3 * script.events.length);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(progress.at(-1)).toBeCloseTo(1, 2);
  });
});
