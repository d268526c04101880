import type { ExportFilter, ExportVariant } from '@shared/contract/export-request';
import { EntryMaker, vote } from '@shared/log/annotation-fixtures';
import type { AnnotationEntry } from '@shared/log/annotations';
import { evaluated } from '@shared/log/event-fixtures';
import type { EventBody } from '@shared/log/events';
import { RunScript } from '@shared/runs/run-fixtures';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryReader } from '../testing/memory-reader';
import { planExport } from './export-plan';
import type { ExportRequest } from './export-request';
import { type ExportPlan, variantPlan } from './plan';
import { longestRows, rowPage, variantCounts } from './plan-counts';
import { previewDataset } from './preview-dataset';
import { datasetRows } from './rows';
import { refuseChanged } from './still-there';

const runId = (number: number) => `01KRVN${String(number).padStart(20, '0')}`;
const think = { name: 'think', args: { thought: 'hm' } };
const failed = { name: 'open_file', error: { code: 'not_found', message: 'No such file' } };

function readerOf(scripts: RunScript[], entries: AnnotationEntry[] = []): MemoryReader {
  return new MemoryReader(new Map(scripts.map((script) => [script.run, script.events])), entries);
}

const planned = (reader: MemoryReader, more: Partial<ExportRequest> = {}) =>
  planExport(reader, { format: 'slime', undecided: 'train', ...more });

type Facts = Partial<EventBody<'run.created'>>;

/** A run of one segment and two steps, with a final score. */
function scored(number: number, task: string, score: number | null, facts: Facts = {}): RunScript {
  const script = new RunScript(runId(number), {
    task: { id: task, title: task, domain: null, hash: 'a'.repeat(64) },
    ...facts,
  });
  script.startSegment().answer([think]).answer([think]);
  if (score !== null) {
    script.add('evaluation.ended', evaluated(2, score, { forced: true, isolated: true }));
  }
  return script;
}

const runsOf = (plan: ExportPlan) => plan.runs.map(({ created }) => Number(created.run.slice(6)));

describe('filters', () => {
  const at = Date.parse('2026-03-01T00:00:00Z');
  const scripts = [
    scored(1, 'a', 90, { experiment: 'hints', arm: 'with' }),
    scored(2, 'a', 40, { experiment: 'hints', arm: 'without' }),
    scored(3, 'b', null),
    scored(4, 'c', 60, { spec: { evaluation: { success_at: 50 } } }),
    scored(5, 'd', 85, { task: { id: 'd', title: 'd', domain: 'nlp', hash: 'b'.repeat(64) } }),
  ];
  for (const [index, { events }] of scripts.entries()) {
    const created = events[0];
    if (created !== undefined) events[0] = { ...created, at: at + index };
  }

  it.each<[ExportFilter, number[], [string, number, number][]]>([
    [{ tasks: ['a', 'c'] }, [1, 2, 4], [['tasks', 2, 2]]],
    [{ domains: ['nlp'] }, [5], [['domains', 4, 4]]],
    [
      { experiments: ['hints'], arms: ['with'] },
      [1],
      [
        ['experiments', 3, 3],
        ['arms', 1, 1],
      ],
    ],
    [{ minScore: 60 }, [1, 4, 5], [['minScore', 2, 2]]],
    [{ successful: true }, [1, 4, 5], [['successful', 2, 2]]],
    [
      { minScore: 50, successful: true, tasks: ['c', 'b'] },
      [4],
      [
        ['tasks', 3, 3],
        ['minScore', 1, 1],
      ],
    ],
    [
      { after: at + 1, before: at + 3 },
      [2, 3],
      [
        ['after', 1, 1],
        ['before', 2, 2],
      ],
    ],
    [{ successful: false }, [1, 2, 3, 4, 5], []],
  ])('%j leaves runs %j and says what it took out', async (filter, runs, removed) => {
    const plan = await planned(readerOf(scripts), { filter });
    expect(runsOf(plan)).toEqual(runs);
    expect(plan.filtered.map((each) => [each.by, each.runs, each.rows])).toEqual(removed);
  });

  it('do not read runs whose first event is enough to leave them out', async () => {
    const reader = readerOf(scripts);
    await planned(reader, { filter: { tasks: ['d'] } });
    expect(reader.reads.events).toBeLessThan(30);
  });

  it('of rows look at each row: kind, length, who decided', async () => {
    const script = new RunScript(runId(1)).startSegment();
    script.answer([think]).answer([think]).summarise().answer([failed]).answer([think]);
    const entries = [new EntryMaker('Ada', 'a', runId(1)).label(5, 'train')];
    const kinds = async (filter: ExportFilter) =>
      variantPlan(await planned(readerOf([script], entries), { filter })).rows.map(
        ({ kind, segment }) => `${kind} ${segment.segment}`,
      );
    expect(await kinds({})).toEqual(['react 1', 'summary 1', 'react 2']);
    expect(await kinds({ kinds: ['summary'] })).toEqual(['summary 1']);
    expect(await kinds({ sources: ['human'] })).toEqual(['react 2']);
    expect(await kinds({ sources: ['rule'] })).toEqual(['summary 1', 'react 2']);
    expect(await kinds({ annotators: ['Ada'] })).toEqual(['react 2']);
    const { rows } = variantPlan(await planned(readerOf([script], entries)));
    const [first] = rows.map(({ tokens }) => tokens).sort((a, b) => a - b);
    expect(await kinds({ maxTokens: first ?? 0 })).toHaveLength(1);
    expect(await kinds({ minTokens: (first ?? 0) + 1 })).toHaveLength(2);
    await expect(kinds({ annotators: ['Bo'] })).rejects.toMatchObject({
      code: 'export_empty',
      message: expect.stringContaining('annotator (1 run, 3 rows)'),
    });
  });

  it('that leave rows of decided steps do not ask for the rest', async () => {
    const script = new RunScript(runId(1)).startSegment().answer([think]).summarise().answer([failed]);
    const plan = await planned(readerOf([script]), { filter: { kinds: ['summary'] }, undecided: 'refuse' });
    expect(plan.undecided).toEqual([]);
    const all = await planned(readerOf([script]), { undecided: 'refuse' });
    expect(all.undecided).toEqual([{ run: runId(1), steps: [1] }]);
  });
});

describe('variants', () => {
  const run = runId(1);
  /** Steps: 1 nobody, 2 rule, 3 judge, 4 person masks, 5 person lifts the rule without a reason, 6 people differ, 7 null. */
  const script = new RunScript(run).startSegment();
  script.answer([think]).answer([failed]).answer([think]).answer([think]).answer([failed]);
  script.answer([think]).answer([]);
  const ada = new EntryMaker('Ada', 'a', run);
  const bo = new EntryMaker('Bo', 'b', run);
  const entries = [
    new EntryMaker('judge', 'j', run).entry(3, vote('mask')),
    ada.label(4, 'mask'),
    ada.label(5, 'train'),
    ada.label(6, 'train'),
    bo.label(6, 'mask'),
  ];
  const reader = readerOf([script], entries);
  const expected: Record<ExportVariant, string> = {
    all: '1000010',
    rules: '1011010',
    judge: '1101111',
    human: '1110111',
    unmasked: '1111111',
  };
  const every = Object.keys(expected) as ExportVariant[];

  it('hold only the opinions they are named for; the others train', async () => {
    const plan = await planned(reader, { variants: every, undecided: 'mask', filter: {} });
    expect(plan.undecided).toEqual([{ run, steps: [1, 6] }]);
    const masks = Object.fromEntries(
      plan.variants.map(({ variant, rows }) => [variant, [...(rows[0]?.masks.values() ?? [])].join('')]),
    );
    expect(masks).toEqual({ ...expected, all: '' });
    // Steps 1 and 6 are waived as masked, so nothing is left that trains.
    expect(variantPlan(plan, 'all').dropped).toEqual([{ reason: 'nothing_trained', count: 1 }]);
    const trained = await planned(reader, { variants: ['all'], undecided: 'train' });
    expect([...(variantPlan(trained).rows[0]?.masks.values() ?? [])].join('')).toBe('1000010');
  });

  it('come out of one pass, each trajectory once for each of them', async () => {
    const plan = await planned(reader, { variants: every });
    const before = reader.reads.events;
    const seen: [ExportVariant, string][] = [];
    for await (const row of datasetRows(reader, plan, {})) {
      const own = row.messages.filter((message) => 'step_loss_mask' in message);
      seen.push([
        row.variant,
        own.map((message) => ('step_loss_mask' in message ? message.step_loss_mask : '')).join(''),
      ]);
      const said = row.plan.steps.map(({ step, label }) => `${step}${label.source ?? ''}`);
      if (row.variant === 'judge') expect(said).toEqual(['1', '2', '3judge', '4', '5', '6', '7']);
      if (row.variant === 'human') expect(said).toEqual(['1', '2', '3', '4human', '5human', '6', '7']);
    }
    expect(seen).toEqual(every.map((variant) => [variant, expected[variant]]));
    expect(reader.reads.events - before).toBe(script.events.length);
  });

  it('are counted by who decided, with steps that nobody of theirs decided under their own name', async () => {
    const plan = await planned(reader, { variants: ['human', 'unmasked'] });
    const [human, unmasked] = plan.variants.map((variant) => variantCounts(variant, plan));
    expect(human?.byReason.map(({ source, reason, value, steps }) => [source, reason, value, steps])).toEqual(
      [
        ['human', 'AD', 'mask', 1],
        ['human', 'AD', 'train', 1],
        ['variant', 'disagreement', 'train', 1],
        ['variant', 'human', 'train', 4],
      ],
    );
    expect(unmasked).toMatchObject({ trained: 7, masked: 0, maskedTokens: 0, rows: 1, records: 1 });
    const tokens = (human?.trainedTokens ?? 0) + (human?.maskedTokens ?? 0);
    expect(tokens).toBe(unmasked?.trainedTokens);
    expect(tokens).toBeGreaterThan(0);
  });
});

describe('deduplication', () => {
  it('keeps the best final score of a task and sample, the smaller id in a tie, and one that has rows', async () => {
    const scripts = [
      scored(1, 'a', 40, { sample: 0 }),
      scored(2, 'a', 70, { sample: 0 }),
      scored(3, 'a', 70, { sample: 0 }),
      scored(4, 'a', null, { sample: 1 }),
      scored(5, 'b', null),
      scored(6, 'b', 0),
      new RunScript(runId(7), { task: { id: 'c', title: 'c', domain: null, hash: 'a'.repeat(64) } }),
      scored(8, 'c', null),
    ];
    const kept = await planned(readerOf(scripts), { deduplicate: true });
    expect(runsOf(kept)).toEqual([2, 4, 6, 8]);
    expect(kept.filtered).toEqual([{ by: 'deduplicate', runs: 4, rows: 3 }]);
    expect(kept.duplicates).toContainEqual({ run: runId(3), kept: runId(2) });
    const all = await planned(readerOf(scripts));
    expect(all.duplicates).toEqual(kept.duplicates);
    expect(all.runs).toHaveLength(8);
  });
});

describe('a split', () => {
  const many = Array.from({ length: 20 }, (_, index) => scored(index + 1, `task ${index % 10}`, 50));
  const sides = (plan: ExportPlan) =>
    new Map(variantPlan(plan).rows.map(({ run, split }) => [run.created.task.id, split]));

  it('puts all rows of a task on one side, as many tasks as the share says, the same ones for the same seed', async () => {
    const split = { share: 0.2, seed: 7 };
    const plan = await planned(readerOf(many), { split });
    expect(plan.split?.validation).toHaveLength(2);
    expect(plan.split?.train).toHaveLength(8);
    for (const { run, split: side } of variantPlan(plan).rows)
      expect(plan.split?.[side]).toContain(run.created.task.id);
    expect((await planned(readerOf([...many].reverse()), { split })).split).toEqual(plan.split);
    const others = await Promise.all(
      [1, 2, 3, 4, 5].map(
        async (seed) => (await planned(readerOf(many), { split: { share: 0.2, seed } })).split,
      ),
    );
    expect(new Set(others.map((other) => String(other?.validation))).size).toBeGreaterThan(1);
  });

  it('keeps a run and its branches together, across tasks and when the parent is not exported', async () => {
    const parent = { run: runId(99), step: 1 };
    const branches = many.map(({ run, events }, index) => {
      const created = events[0]?.body as EventBody<'run.created'>;
      return scored(index + 1, created.task.id, 50, {
        run,
        parent: index === 3 || index === 4 ? parent : index === 5 ? { run: runId(5), step: 1 } : null,
      });
    });
    for (let seed = 0; seed < 12; seed += 1) {
      const of = sides(await planned(readerOf(branches), { split: { share: 0.3, seed } }));
      expect(new Set([of.get('task 3'), of.get('task 4'), of.get('task 5')]).size).toBe(1);
    }
  });

  it('never leaves training without a row', async () => {
    const one = [scored(1, 'only', 50), scored(2, 'only', 60)];
    await expect(planned(readerOf(one), { split: { share: 0.1, seed: 1 } })).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('only one task, only'),
    });
    const two = [scored(1, 'a', 50), scored(2, 'b', 50)];
    for (const share of [0.01, 0.5, 0.99]) {
      const plan = await planned(readerOf(two), { split: { share, seed: 1 } });
      expect([plan.split?.train.length, plan.split?.validation.length]).toEqual([1, 1]);
    }
    const [side] = (await planned(readerOf(two), { split: { share: 0.5, seed: 1 } })).split?.train ?? [];
    const masked = new EntryMaker('Ada', 'a', runId(side === 'a' ? 1 : 2)).label([1, 2], 'mask');
    await expect(planned(readerOf(two, [masked]), { split: { share: 0.5, seed: 1 } })).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('variant "all"'),
    });
  });
});

describe('a run that changes meanwhile', () => {
  const script = () => scored(1, 'a', 50);

  it('is named when it is removed, in the first pass and in the second', async () => {
    const logs = new Map([[runId(1), script().events]]);
    const reader = new MemoryReader(logs);
    const original = reader.events.bind(reader);
    reader.events = async (run, from, limit) => {
      if (from > 1) logs.delete(run);
      return original(run, from, limit);
    };
    await expect(planned(reader)).rejects.toMatchObject({ code: 'conflict', message: /was removed/ });
    logs.set(runId(1), script().events);
    reader.events = original;
    const plan = await planned(reader);
    logs.delete(runId(1));
    const rows = datasetRows(reader, plan, {});
    await expect(rows.next()).rejects.toMatchObject({ code: 'conflict', message: /was removed/ });
    await expect(refuseChanged(reader, plan.runs)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('is named when its texts are purged, and goes on when it only grows', async () => {
    const grown = script();
    const reader = readerOf([grown]);
    const plan = await planned(reader);
    grown.answer([think]);
    await expect(refuseChanged(reader, plan.runs)).resolves.toBeUndefined();
    grown.add('text.purged', { from: 1, to: 1, by: 'Ada' });
    await expect(refuseChanged(reader, plan.runs)).rejects.toMatchObject({
      code: 'conflict',
      message: /were purged while/,
    });
  });

  it('keeps the code of a log that is damaged', async () => {
    const broken = script();
    broken.events.splice(3, 1);
    await expect(planned(readerOf([broken]))).rejects.toMatchObject({ code: 'workspace_corrupt' });
  });
});

describe('requests', () => {
  it.each<[Partial<ExportRequest>, string, RegExp]>([
    [{ format: 'nonsense' as 'slime' }, 'bad_input', /format/],
    [{ variants: [] }, 'bad_input', /variants/],
    [{ split: { share: 1, seed: 0 } }, 'bad_input', /split\.share/],
    [{ filter: { taskz: ['a'] } as ExportFilter }, 'bad_input', /filter/],
    [{ encoding: 'documents' }, 'unsupported', /slime are not written as documents/],
  ])('%j is refused by name', async (more, code, message) => {
    await expect(planned(readerOf([scored(1, 'a', 1)]), more)).rejects.toMatchObject({ code, message });
  });
});

describe('lists of rows', () => {
  it('come page by page, with places that the plan knows, and the longest first', async () => {
    const scripts = Array.from({ length: 7 }, (_, index) => {
      const script = new RunScript(runId(index + 1)).startSegment();
      return script.answer([{ ...think, text: 'word '.repeat(100 * ((index * 3) % 7)) }], {});
    });
    const plan = await planned(readerOf(scripts));
    const pages = [0, 3, 6].map((from) => rowPage(plan, { from, limit: 3 }));
    expect(pages.flatMap(({ rows }) => rows.map(({ index }) => index))).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(pages[0]?.of).toBe(7);
    const longest = longestRows(variantPlan(plan), 3);
    expect(longest.map(({ run }) => Number(run.slice(6)))).toEqual([3, 5, 7]);
    for (const { index, run } of longest) expect(variantPlan(plan).rows[index]?.run.created.run).toBe(run);
    expect(await previewDataset(readerOf(scripts), { undecided: 'train' })).toMatchObject({
      longest: [
        { tokens: longest[0]?.tokens, trained: 1, masked: 0, firstStep: 1, lastStep: 1 },
        {},
        {},
        {},
        {},
        {},
        {},
      ],
    });
  });
});

describe('any runs, labels and options', () => {
  const anyStep = fc.constantFrom('think', 'failed', 'null', 'summary');
  const anyRun = fc.record({
    steps: fc.array(anyStep, { maxLength: 12 }),
    task: fc.constantFrom('a', 'b', 'c'),
    score: fc.option(fc.integer({ min: 0, max: 100 })),
    sample: fc.option(fc.integer({ min: 0, max: 1 })),
    labels: fc.array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.constantFrom('train', 'mask', 'judge'))),
  });

  function scriptOf(
    {
      steps,
      task,
      score,
      sample,
    }: { steps: string[]; task: string; score: number | null; sample: number | null },
    number: number,
  ) {
    const script = new RunScript(runId(number), {
      task: { id: task, title: task, domain: null, hash: 'a'.repeat(64) },
      sample,
    }).startSegment();
    let inContext = 0;
    for (const step of steps) {
      if (step === 'summary') {
        if (inContext >= 2) {
          script.summarise();
          inContext = Math.ceil(inContext / 2);
        }
      } else {
        script.answer(step === 'null' ? [] : [step === 'failed' ? failed : think]);
        inContext += 1;
      }
    }
    if (score === null) return script;
    return script.add('evaluation.ended', evaluated(1, score, { forced: true, isolated: true }));
  }

  it('every row is kept, dropped or filtered, once; every trained step trains once; masks are those of the variant', async () => {
    let looked = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRun, { minLength: 1, maxLength: 5 }),
        fc.record({
          deduplicate: fc.boolean(),
          kinds: fc.option(fc.constantFrom<'react' | 'summary'>('react', 'summary'), { nil: undefined }),
          minScore: fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
          split: fc.boolean(),
        }),
        async (runs, { deduplicate, kinds, minScore, split }) => {
          const scripts = runs.map((each, index) => scriptOf(each, index + 1));
          const entries = runs.flatMap(({ labels }, index) =>
            labels.map(([step, said], place) =>
              said === 'judge'
                ? new EntryMaker(`judge ${place}`, `j${place}`, runId(index + 1)).entry(step, vote('mask'))
                : new EntryMaker('Ada', `d${place}`, runId(index + 1)).label(
                    step,
                    said === 'mask' ? 'mask' : 'train',
                  ),
            ),
          );
          const reader = readerOf(scripts, entries);
          const variants: ExportVariant[] = ['all', 'rules', 'judge', 'human', 'unmasked'];
          const filter = { ...(kinds && { kinds: [kinds] }), ...(minScore !== undefined && { minScore }) };
          const request = { variants, deduplicate, filter, ...(split && { split: { share: 0.3, seed: 1 } }) };
          let plan: ExportPlan;
          try {
            plan = await planned(reader, request);
          } catch (error) {
            expect(['export_empty', 'refused']).toContain((error as { code?: string }).code);
            return;
          }
          looked += 1;
          const whole = variantPlan(await planned(reader, { variants: ['unmasked'] })).rows.length;
          const filtered = plan.filtered.reduce((sum, { rows }) => sum + rows, 0);
          const found = new Map<ExportVariant, Map<string, number>>(
            variants.map((each) => [each, new Map()]),
          );
          for await (const row of datasetRows(reader, plan, {})) {
            const own = new Map<number, 0 | 1>([...row.plan.masks]);
            for (const [step, mask] of own) {
              if (mask === 0) continue;
              const key = `${row.plan.run.created.run} ${step}`;
              const counts = found.get(row.variant);
              counts?.set(key, (counts.get(key) ?? 0) + 1);
            }
            const ones = row.messages.filter(
              (message) => 'step_loss_mask' in message && message.step_loss_mask === 1,
            ).length;
            expect(ones).toBe([...own.values()].filter((mask) => mask === 1).length);
            expect(ones).toBeGreaterThan(0);
            if (row.variant === 'unmasked') expect([...own.values()]).not.toContain(0);
          }
          for (const { variant, rows, dropped } of plan.variants) {
            const lost = dropped.reduce(
              (sum, { reason, count }) => sum + (reason === 'no_steps' ? 0 : count),
              0,
            );
            expect(rows.length + lost + filtered).toBe(whole);
            expect([...(found.get(variant)?.values() ?? [])].every((times) => times === 1)).toBe(true);
          }
        },
      ),
      { numRuns: 60 },
    );
    expect(looked).toBeGreaterThan(5);
  });
});
