import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StepQuery } from '@shared/contract/step-query';
import type { StepHead } from '@shared/contract/views';
import { type StepMark, stepMarks } from '@shared/labels/labels';
import fc from 'fast-check';
import { ulid } from 'ulid';
import { beforeAll, describe, expect, test } from 'vitest';
import { realisticWorkspace } from '../../testing/realistic-run';
import { alice, createdBody, createRun, RunWriter } from '../../testing/run-writer';
import { testStore } from '../../testing/store-fixtures';
import { writeSummary } from '../../testing/write-summary';
import type { Store } from '../api';
import { openStoreInProcess } from '../threads/in-process';

/** What a query means, said again over whole heads. `file` and `text` are looked at in tests of their own. */
function holds(head: StepHead, query: StepQuery): boolean {
  const { label, source, marks, rule, tool, computer, kind, error, hint, from = 1, to = 1e9 } = query;
  const failed = head.errorCode !== null || (head.exitCode ?? 0) !== 0 || head.kind === 'null';
  const hinted = head.after.some((note) => note.kind === 'hint');
  return (
    (label?.includes(head.label.value ?? 'undecided') ?? true) &&
    (source?.includes(head.label.source ?? 'none') ?? true) &&
    (marks?.some((mark) => head.marks.includes(mark)) ?? true) &&
    (rule?.some((id) => head.rules.includes(id)) ?? true) &&
    (tool?.includes(head.tool) ?? true) &&
    (computer?.includes(head.computer) ?? true) &&
    (kind?.includes(head.kind) ?? true) &&
    (error ?? failed) === failed &&
    (hint ?? hinted) === hinted &&
    head.step >= from &&
    head.step <= to
  );
}

const some = <T>(values: readonly T[]) =>
  fc.option(fc.subarray([...values], { minLength: 1 }), { nil: undefined });
const maybe = fc.option(fc.boolean(), { nil: undefined, freq: 1 });

const queries: fc.Arbitrary<StepQuery> = fc
  .record({
    label: some(['train', 'mask', 'undecided'] as const),
    source: some(['human', 'rule', 'judge', 'none'] as const),
    marks: some<StepMark>(stepMarks),
    rule: some(['command-failed', 'blind-edit', 'error-observation', 'nothing']),
    tool: some(['run_command', 'edit_file', 'sleep', '']),
    computer: some(['local', 'gpu-1', '']),
    kind: some(['act', 'think', 'null', 'summary'] as const),
    error: maybe,
    hint: maybe,
    from: fc.option(fc.integer({ min: 1, max: 520 }), { nil: undefined }),
    to: fc.option(fc.integer({ min: 1, max: 520 }), { nil: undefined }),
  })
  .chain((all) =>
    fc
      .subarray(Object.keys(all) as (keyof typeof all)[], { maxLength: 3 })
      .map((keys) => Object.fromEntries(keys.map((key) => [key, all[key]])) as StepQuery),
  );

describe('steps that match', () => {
  let store: Store;
  let run: string;
  let heads: StepHead[];

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-matches-'));
    const built = await realisticWorkspace('S', { folder: join(folder, 'w'), labels: true });
    run = built.run;
    store = openStoreInProcess(built.folder);
    heads = await store.reader.heads(run, 1, 1_000);
    return async () => {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    };
  });

  test('are those whose heads say so, whatever is combined', async () => {
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        const expected = heads.filter((head) => holds(head, query)).map(({ step }) => step);
        expect(await store.reader.matches(run, query)).toEqual(expected);
        expect(await store.reader.countMatches(run, query)).toBe(expected.length);
      }),
      { numRuns: 200 },
    );
  });

  test('are found from where one stands, for one query of several', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(queries, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 600 }),
        fc.constantFrom(1 as const, -1 as const),
        async (several, from, direction) => {
          const all = heads
            .filter((head) => several.some((query) => holds(head, query)))
            .map(({ step }) => step);
          const on = all.filter((step) => (direction === 1 ? step >= from : step <= from));
          expect(await store.reader.nearest(run, several, from, direction)).toEqual({
            step: (direction === 1 ? on[0] : on.at(-1)) ?? null,
            total: all.length,
          });
        },
      ),
      { numRuns: 100 },
    );
  });

  test('by file are those that changed it or looked at it', async () => {
    const changed = new Set<number>();
    for (const event of await store.reader.events(run, 1, 2_000)) {
      if (event.kind === 'file.changed' && event.body.path.endsWith('data/clean.py'))
        changed.add(event.body.step);
    }
    const steps = await store.reader.matches(run, { file: 'DATA/clean.py' });
    expect(steps).toEqual(expect.arrayContaining([...changed]));
    const looks = heads.filter(({ step }) => steps.includes(step) && !changed.has(step));
    expect(looks.length).toBeGreaterThan(0);
    for (const head of looks) {
      expect(head.title).toContain('data/clean.py');
      expect(['open_file', 'run_command']).toContain(head.tool);
    }
    // A command that only runs the file has not looked at it.
    expect(looks.every(({ title }) => !title.startsWith('python'))).toBe(true);
    expect(await store.reader.matches(run, { file: '/data/task/data/clean.py' })).toEqual(steps);
    expect(await store.reader.countMatches(run, { file: 'no-such-file' })).toBe(0);
  });

  test('by text are those that the search finds, within the other conditions', async () => {
    await store.drain();
    const found = new Set(await store.reader.stepsMatching(run, 'checkpoint'));
    expect(found.size).toBeGreaterThan(10);
    const query: StepQuery = { text: 'checkpoint', tool: ['edit_file'] };
    const expected = heads
      .filter((head) => found.has(head.step) && head.tool === 'edit_file')
      .map(({ step }) => step);
    expect(await store.reader.matches(run, query)).toEqual(expected);
    expect(await store.reader.countMatches(run, { text: 'nowordlikethis' })).toBe(0);
  });

  test('are counted by what filters can be set to', async () => {
    const { tools, computers, rules } = await store.reader.facets(run);
    const by = (values: readonly string[]) => {
      const counts = new Map<string, number>();
      for (const value of values) if (value !== '') counts.set(value, (counts.get(value) ?? 0) + 1);
      return counts;
    };
    const asMap = (facets: typeof tools) => new Map(facets.map(({ value, count }) => [value, count]));
    expect(asMap(tools)).toEqual(by(heads.map(({ tool }) => tool)));
    expect(asMap(computers)).toEqual(by(heads.map(({ computer }) => computer)));
    expect(asMap(rules)).toEqual(by(heads.flatMap((head) => head.rules)));
    expect(tools.map(({ count }) => count)).toEqual(tools.map(({ count }) => count).sort((a, b) => b - a));
  });

  test('segments share the steps out, with the labels that the heads have', async () => {
    const segments = await store.reader.segments(run);
    expect(segments.length).toBeGreaterThan(3);
    for (const { segment, firstStep, lastStep, counts } of segments) {
      const own = heads.filter((head) => head.segment === segment);
      expect([own[0]?.step, own.at(-1)?.step]).toEqual([firstStep, lastStep]);
      const labelled = (value: 'train' | 'mask' | null) =>
        own.filter(({ label }) => label.value === value).length;
      expect(counts).toEqual({
        train: labelled('train'),
        mask: labelled('mask'),
        undecided: labelled(null),
        disagreement: own.filter(({ label }) => label.disagreement).length,
      });
    }
    expect(segments[0]?.carried).toBeNull();
    expect(segments[1]?.carried).toEqual({
      from: segments[1] && segments[1].firstStep - 81,
      to: expect.any(Number),
    });
  });
});

test('a branch finds the steps it inherited where they were made, and goes on in the segment it left', async () => {
  const store = testStore();
  const parent = await createRun(store);
  const writer = new RunWriter(store, parent);
  await writer.start();
  for (let step = 1; step <= 4; step += 1) await writer.command(`cat ${step}.py`, `${step}`);
  await writeSummary(writer, {
    segment: 1,
    steps: { from: 1, to: 2 },
    carried: { from: 3, to: 4 },
    text: 'So far',
  });
  for (let step = 6; step <= 9; step += 1)
    await writer.command(`cat ${step}.py`, `${step}`, { exitCode: step % 2 });
  await store.writer.annotate(
    alice,
    { run: parent, from: 7, to: 9 },
    { op: 'label', value: 'mask', reason: null },
  );
  const branch = ulid();
  const at = { run: parent, step: 7 };
  await store.writer.append(branch, 0, [
    { kind: 'run.created', body: { ...createdBody(branch), parent: at } },
  ]);
  const own = new RunWriter(store, branch);
  await own.record([
    {
      kind: 'segment.started',
      body: { segment: 2, head: [{ role: 'system', content: 'You are an agent.' }], tools: [], request: {} },
    },
  ]);
  own.step = 7;
  for (let step = 8; step <= 10; step += 1) await own.command(`cat ${step}.py`, `${step}`);
  await store.writer.annotate(
    alice,
    { run: branch, from: 8, to: 8 },
    { op: 'label', value: 'train', reason: null },
  );
  expect(await store.reader.matches(branch, { error: true })).toEqual([7]);
  expect(await store.reader.matches(parent, { error: true })).toEqual([7, 9]);
  // Step 5 is the summary, which a rule keeps.
  expect(await store.reader.matches(branch, { label: ['mask', 'train'] })).toEqual([5, 7, 8]);
  expect(await store.reader.matches(branch, { tool: ['run_command'], from: 4, to: 8 })).toEqual([4, 6, 7, 8]);
  expect(await store.reader.nearest(branch, [{ label: ['mask'] }], 10, -1)).toEqual({ step: 7, total: 1 });
  expect(await store.reader.segments(branch)).toEqual([
    {
      segment: 1,
      firstStep: 1,
      summaryStep: null,
      lastStep: 5,
      carried: null,
      counts: { train: 1, mask: 0, undecided: 4, disagreement: 0 },
    },
    {
      segment: 2,
      firstStep: 6,
      summaryStep: 5,
      lastStep: 10,
      carried: { from: 3, to: 4 },
      counts: { train: 1, mask: 1, undecided: 3, disagreement: 0 },
    },
  ]);
});
