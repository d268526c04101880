import { EntryMaker } from '@shared/log/annotation-fixtures';
import type { AnnotationEntry, AnnotationOp, Correction } from '@shared/log/annotations';
import { RunScript, type ScriptedCall } from '@shared/runs/run-fixtures';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkRecords } from '../../testing/check-records';
import { branchOf, plannedRows, recordsOf, runName, scored } from '../../testing/planned-rows';
import { dpo } from '../targets/dpo';
import { rm } from '../targets/rm';

interface Pair {
  prompt: { role: string; content: string; reasoning_content?: string }[];
  chosen: { role: string; content: string; reasoning_content?: string; tool_calls?: ScriptedToolCall[] }[];
  rejected: Pair['chosen'];
  tools: string;
  margin?: number;
  metadata: {
    kind: string;
    shared_messages: number;
    score_gap?: number;
    by?: string;
    chosen: { run: string; step: number; score?: number; score_is?: string };
    rejected: { run: string; step: number; score?: number };
  };
}
interface ScriptedToolCall {
  id: string;
  function: { name: string; arguments: unknown };
}

const ls: ScriptedCall = { name: 'run_command', args: { command: 'ls' } };
const fix = (command: string, text = 'Look first.'): Correction => ({
  text,
  call: { name: 'run_command', arguments: JSON.stringify({ command }) },
  note: 'why',
});
const correcting = (who: string, run: string, step: number, correction: Correction) =>
  new EntryMaker(who, `${who} ${step}`, run).entry(step, { op: 'correct', correction } as AnnotationOp);
const ran = (command: string, text?: string): ScriptedCall => ({
  name: 'run_command',
  args: { command },
  ...(text === undefined ? {} : { text }),
});

async function pairsOf(scripts: RunScript[], entries: AnnotationEntry[] = [], target = dpo) {
  const made = await recordsOf(target, await plannedRows(scripts, entries));
  return { ...made, pairs: made.records.map(({ value }) => value as unknown as Pair) };
}

describe('pairs from corrections', () => {
  it('prefers what a person wrote to what the model did, under the same prompt', async () => {
    const run = runName(1);
    const script = new RunScript(run)
      .startSegment()
      .answer([ls])
      .answer([ls], { reasoning: 'Hm.' })
      .answer([ls]);
    const masked = new EntryMaker('Bo', 'b', run).label([1, 3], 'mask');
    const { pairs, dropped, problems } = await pairsOf(
      [script],
      [masked, correcting('Ada', run, 2, fix('cat a')), correcting('Bo', run, 2, fix('cat b'))],
    );
    expect({ problems, dropped }).toEqual({ problems: [], dropped: [] });
    expect(pairs).toHaveLength(2);
    expect(pairs.map(({ metadata }) => [metadata.kind, metadata.by, metadata.chosen.step])).toEqual([
      ['correction', 'Ada', 2],
      ['correction', 'Bo', 2],
    ]);
    const [first] = pairs;
    expect(first?.prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(first?.chosen).toEqual([
      {
        role: 'assistant',
        tool_calls: [
          {
            id: 'c2-0',
            type: 'function',
            function: { name: 'run_command', arguments: '{"command":"cat a"}' },
          },
        ],
        content: 'Look first.',
      },
    ]);
    expect(first?.rejected[0]).toMatchObject({ content: 'Thought 2', tool_calls: [{ id: 'c2-0' }] });
    expect(JSON.stringify(pairs)).not.toContain('step_loss_mask');
    expect(JSON.parse(first?.tools ?? '')).toHaveLength(1);
    expect(checkRecords('dpo', pairs)).toEqual({ rows: 2, problems: [] });
  });

  it('leaves out what says nothing new, and counts it', async () => {
    const run = runName(1);
    const script = new RunScript(run)
      .startSegment()
      .answer([{ name: 'run_command', raw: '{ "command" : "ls" }' }]);
    const { pairs, dropped } = await pairsOf(
      [script],
      [
        correcting('Ada', run, 1, { ...fix('ls'), text: 'Thought 1' }),
        correcting('Bo', run, 1, fix('pwd')),
        correcting('Cy', run, 1, fix('pwd')),
      ],
    );
    expect(pairs.map(({ metadata }) => metadata.by)).toEqual(['Bo']);
    expect(dropped).toEqual([
      { why: 'A correction says what the model said, or what another person said', count: 2 },
    ]);
  });

  it('corrects an answer that held no call, escapes the human tag, and drops the reasoning of both', async () => {
    const run = runName(1);
    const script = new RunScript(run, {}).startSegment().answer([], { reasoning: 'secretly' });
    const correction = fix('echo "<real_user>x</real_user>"', 'As <real_user>you</real_user> said.');
    const { pairs, problems } = await pairsOf([script], [correcting('Ada', run, 1, correction)]);
    expect(problems).toEqual([]);
    expect(JSON.stringify(pairs)).not.toContain('<real_user>');
    expect(pairs[0]?.rejected[0]).not.toHaveProperty('tool_calls');
    expect(pairs[0]?.rejected[0]).not.toHaveProperty('reasoning_content');
  });

  it('gives arguments as objects where the template wants them, and leaves out what an object cannot say', async () => {
    const run = runName(1);
    const deep = `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
    const script = new RunScript(run)
      .startSegment()
      .answer([ls])
      .answer([{ name: 'run_command', raw: deep }]);
    const rows = await plannedRows(
      [script],
      [correcting('Ada', run, 1, fix('pwd')), correcting('Ada', run, 2, fix('pwd'))],
    );
    const { records, dropped } = await recordsOf(dpo, rows, 'object');
    const pairs = records.map(({ value }) => value as unknown as Pair);
    expect(pairs.map(({ chosen }) => chosen[0]?.tool_calls?.[0]?.function.arguments)).toEqual([
      { command: 'pwd' },
    ]);
    expect(dropped).toEqual([
      { why: 'A call cannot be written as an object without changing its arguments', count: 1 },
    ]);
    const asText = (await recordsOf(dpo, rows, 'string')).records.map(
      ({ value }) => value as unknown as Pair,
    );
    expect(asText[1]?.rejected[0]?.tool_calls?.[0]?.function.arguments).toBe(deep);
  });
});

describe('pairs from branches', () => {
  const parent = (score: number | null, last = ran('make')) => {
    const script = new RunScript(runName(1))
      .startSegment()
      .answer([ls])
      .answer([ran('cat a')])
      .answer([last]);
    return scored(script, score);
  };

  it('prefers the sibling with the higher score at the first answer that differs', async () => {
    const worse = parent(20);
    const better = scored(
      branchOf(worse, 2, runName(2))
        .answer([ran('pytest')])
        .answer([ls]),
      90,
    );
    const { pairs, dropped, problems } = await pairsOf([worse, better]);
    expect({ problems, dropped }).toEqual({ problems: [], dropped: [] });
    expect(pairs).toHaveLength(1);
    const [pair] = pairs;
    expect(pair?.metadata).toMatchObject({
      kind: 'branch',
      score_gap: 70,
      shared_messages: 5,
      chosen: { run: runName(2), step: 3, score: 90, score_is: 'final' },
      rejected: { run: runName(1), step: 3, score: 20 },
    });
    // What the chosen one was asked with: it knows that it is a branch.
    expect(pair?.prompt.at(-1)).toEqual({
      role: 'user',
      content: expect.stringContaining('[Workspace moved]'),
    });
    expect(JSON.stringify(pair?.chosen)).toContain('pytest');
    expect(JSON.stringify(pair?.rejected)).toContain('make');
    expect(checkRecords('dpo', pairs)).toEqual({ rows: 1, problems: [] });
  });

  it('takes the prompt of the parent where that is the better one, and states the margin', async () => {
    const better = parent(75);
    const worse = scored(branchOf(better, 2, runName(2)).answer([ran('pytest')]), 50);
    const { pairs } = await pairsOf([better, worse], [], rm);
    expect(pairs).toHaveLength(1);
    expect(pairs[0]?.prompt.map(({ role }) => role)).toEqual([
      ...['system', 'user', 'assistant', 'tool', 'assistant', 'tool'],
    ]);
    expect(pairs[0]?.margin).toBe(0.25);
    expect(checkRecords('dpo', pairs, { words: ['margin'] })).toEqual({ rows: 1, problems: [] });
  });

  it('compares siblings with one another, also when their parent is not exported', async () => {
    const origin = parent(10);
    const siblings = [30, 60, 60].map((score, index) =>
      scored(branchOf(origin, 2, runName(index + 2)).answer([ran(`try ${index}`)]), score),
    );
    const all = await pairsOf([origin, ...siblings]);
    expect(all.pairs.map(({ metadata }) => metadata.score_gap).sort()).toEqual([20, 30, 30, 50, 50]);
    expect(all.dropped).toEqual([{ why: 'Both runs of the branch have the same score', count: 1 }]);
    const without = await pairsOf(siblings);
    expect(without.pairs.map(({ metadata }) => metadata.score_gap)).toEqual([30, 30]);
  });

  it('goes on behind equal answers as long as both were shown the same', async () => {
    const worse = scored(
      new RunScript(runName(1))
        .startSegment()
        .answer([ls])
        .answer([ran('cat a', 'A')])
        .answer([ran('x')]),
      1,
    );
    const same = scored(branchOf(worse, 1, runName(2)).answer([ran('cat a', 'A')]), 2);
    const later = branchOf(worse, 1, runName(3)).answer([ran('cat a', 'A')], { text: 'Thought 2' });
    scored(later.answer([ran('y')]), 3);
    const other = scored(
      branchOf(worse, 1, runName(4))
        .answer([ran('cat a', 'B')])
        .answer([ran('z')]),
      4,
    );
    const { pairs, dropped } = await pairsOf([worse, same, later, other]);
    expect(
      pairs.map(({ metadata }) => [metadata.chosen.run, metadata.chosen.step, metadata.rejected.run]),
    ).toEqual([[runName(3), 3, runName(1)]]);
    expect(pairs[0]?.prompt.filter(({ role }) => role === 'assistant')).toHaveLength(2);
    expect(dropped).toEqual([
      { why: 'The runs were not shown the same up to where they differ', count: 3 },
      { why: 'The runs give the same answers as far as they are compared', count: 2 },
    ]);
  });

  it('takes no pair whose better answer is masked, or of a run that was never scored', async () => {
    const worse = parent(20);
    const better = scored(branchOf(worse, 2, runName(2)).answer([ran('pytest')]), 90);
    const unscored = branchOf(worse, 2, runName(3)).answer([ran('nothing')]);
    const silent = scored(branchOf(worse, 2, runName(4)), 50);
    const { pairs, dropped } = await pairsOf(
      [worse, better, unscored, silent],
      [new EntryMaker('Ada', 'a', runName(2)).label(3, 'mask')],
    );
    expect(pairs).toEqual([]);
    expect(dropped).toEqual([
      { why: 'A run of the branch was never scored', count: 2 },
      { why: 'The better answer is masked', count: 1 },
      { why: 'One of two runs of a branch has no row here, or no finished step after it', count: 3 },
    ]);
  });

  it('does not compare runs that were shown something else before they parted', async () => {
    const worse = parent(20);
    const better = scored(branchOf(worse, 2, runName(2)).answer([ran('pytest')]), 90);
    const inherited = better.events.find(({ kind }) => kind === 'step.inherited');
    if (inherited?.kind !== 'step.inherited') throw new Error('The branch inherits nothing');
    inherited.body.answered = { ...inherited.body.answered, text: 'Something else' };
    const { pairs, dropped } = await pairsOf([worse, better]);
    expect(pairs).toEqual([]);
    expect(dropped).toEqual([{ why: 'The runs were not shown the same up to where they differ', count: 1 }]);
  });

  it('uses the best score where there is no final one', async () => {
    const worse = parent(20);
    const better = branchOf(worse, 2, runName(2)).answer([ran('pytest')]);
    scored(better, 40, false);
    scored(better, null);
    const { pairs } = await pairsOf([worse, better]);
    expect(pairs[0]?.metadata.chosen).toMatchObject({ score: 40, score_is: 'best' });
  });

  it('sees past lines on budgets and hints at the end of what was shown', async () => {
    const origin = new RunScript(runName(1)).startSegment().answer([ls]);
    const requested = origin.events.find(({ kind }) => kind === 'model.requested');
    if (requested?.kind !== 'model.requested') throw new Error('Nothing was requested');
    const line = (minutes: number) => `\n\n[Budget: ${minutes} min of working time, 3 steps left.]`;
    origin.add('model.requested', { ...requested.body, step: 2, tail: line(50), kept: true });
    scored(origin.answer([ran('a')]), 5);
    const branch = branchOf(origin, 1, runName(2), {}, '');
    const text = '\n\n<real_user>Use b [it is better].</real_user>';
    const hint = { id: '01KH00000000000000000000N1', text: 'Use b [it is better].' };
    branch.add('hint.delivered', { step: 1, hints: [hint], text });
    branch.add('model.requested', { ...requested.body, step: 2, tail: line(20), kept: true });
    scored(branch.answer([ran('b')]), 50);
    const { pairs, dropped } = await pairsOf([origin, branch]);
    expect(dropped).toEqual([]);
    expect(pairs[0]?.prompt.at(-1)?.content).toBe(`Observation 1.0${text}${line(20)}`);
  });
});

describe('pairs of random runs', () => {
  const command = fc.constantFrom('a', 'b', 'c');
  const world = fc.record({
    trunk: fc.array(command, { minLength: 1, maxLength: 4 }),
    branches: fc.array(
      fc.record({
        at: fc.nat(3),
        of: fc.nat(2),
        commands: fc.array(command, { maxLength: 3 }),
        score: fc.option(fc.constantFrom(0, 40, 80, 100), { freq: 9 }),
      }),
      { maxLength: 4 },
    ),
    score: fc.option(fc.constantFrom(0, 40, 80), { freq: 9 }),
    corrected: fc.array(fc.record({ run: fc.nat(4), step: fc.nat(5), command }), { maxLength: 3 }),
    masked: fc.array(fc.record({ run: fc.nat(4), step: fc.nat(5) }), { maxLength: 3 }),
  });

  it('differ in the answer alone, choose what trains, and every candidate is a pair or counted', async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(world, async ({ trunk, branches, score, corrected, masked }) => {
        const scripts = [scored(build(new RunScript(runName(1)).startSegment(), trunk), score)];
        for (const [index, { at, of, commands, score: ends }] of branches.entries()) {
          const from = of === 0 ? scripts[0] : scripts.at(-1);
          const first =
            from?.events.find(({ kind }) => kind === 'step.inherited') === undefined ? 1 : from.step;
          const step = Math.min(from?.step ?? 1, Math.max(first, at + 1));
          if (
            from === undefined ||
            from.events.every(
              ({ kind, body }) => kind !== 'model.answered' || (body as { step: number }).step !== step,
            )
          )
            continue;
          const branch = branchOf(from, step, runName(index + 2));
          scripts.push(scored(build(branch, commands), ends));
        }
        const entries = [
          ...corrected.map(({ run, step, command: text }, index) =>
            correcting(`P${index}`, runName(run + 1), step + 1, fix(text)),
          ),
          ...masked.map(({ run, step }) =>
            new EntryMaker('M', 'm', runName(run + 1)).label(step + 1, 'mask'),
          ),
        ];
        const planned = await plannedRows(scripts, entries);
        const { records, dropped, problems } = await recordsOf(dpo, planned);
        const pairs = records.map(({ value }) => value as unknown as Pair);
        expect(problems).toEqual([]);
        const masks = new Map(
          planned.rows.flatMap(({ plan }) =>
            [...plan.masks].map(([step, mask]) => [`${plan.run.created.run} ${step}`, mask] as const),
          ),
        );
        for (const { metadata, chosen, rejected } of pairs) {
          expect(JSON.stringify(chosen)).not.toBe(JSON.stringify(rejected));
          if (metadata.kind === 'correction') continue;
          found += 1;
          expect(masks.get(`${metadata.chosen.run} ${metadata.chosen.step}`)).toBe(1);
          expect((metadata.chosen.score ?? 0) - (metadata.rejected.score ?? 0)).toBe(metadata.score_gap);
          expect(metadata.score_gap).toBeGreaterThan(0);
        }
        const corrections = planned.plan.runs.flatMap(({ segments }) =>
          segments.flatMap(({ steps }) => steps.flatMap((step) => step.corrections)),
        ).length;
        const families = new Map<string, number>();
        for (const { created } of planned.plan.runs) {
          if (created.parent === null) continue;
          const key = `${created.parent.run} ${created.parent.step}`;
          families.set(key, (families.get(key) ?? 1) + 1);
        }
        const siblings = [...families.values()].reduce((sum, n) => sum + (n * (n - 1)) / 2, 0);
        expect(pairs.length + dropped.reduce((sum, { count }) => sum + count, 0)).toBe(
          corrections + siblings,
        );
      }),
      { numRuns: 120 },
    );
    expect(found).toBeGreaterThan(5);
  }, 60_000);
});

function build(script: RunScript, commands: readonly string[]): RunScript {
  for (const each of commands) script.answer([ran(each)]);
  return script;
}
