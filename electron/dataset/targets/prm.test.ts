import type { AnnotationEntry } from '@shared/log/annotations';
import { RunScript } from '@shared/runs/run-fixtures';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkRecords } from '../../testing/check-records';
import { plannedRows, recordsOf, runName, votesOn } from '../../testing/planned-rows';
import { prm } from './prm';

interface Row {
  prompt: string;
  completions: string[];
  labels: boolean[];
  metadata: { run: string; segment: number; steps: number[] };
}

const run = runName(1);
const ls = { name: 'run_command', args: { command: 'ls' } };

async function rowsOf(script: RunScript, entries: AnnotationEntry[]) {
  const made = await recordsOf(prm, await plannedRows([script], entries));
  return { ...made, rows: made.records.map(({ value }) => value as unknown as Row) };
}

it('labels each step by most of its votes, and puts the observation before the step that follows', async () => {
  const script = new RunScript(run).startSegment().answer([ls]).answer([ls]).answer([ls]);
  const { rows, dropped, problems, records } = await rowsOf(script, [
    ...votesOn(1, 'kkm'),
    ...votesOn(2, 'mmk'),
    ...votesOn(3, 'kuu'),
  ]);
  expect({ dropped, problems }).toEqual({ dropped: [], problems: [] });
  expect(rows).toHaveLength(1);
  const [row] = rows;
  expect(row?.labels).toEqual([true, false, true]);
  expect(row?.prompt).toContain('You are an agent.');
  expect(row?.prompt).toContain('"name":"run_command"');
  expect(row?.prompt).not.toContain('Thought 1');
  expect(row?.completions[0]).toMatch(/^Agent:\nThought 1\n<tool_call>/);
  expect(row?.completions[1]).toMatch(/^Observation:\nObservation 1\.0\n\nAgent:\nThought 2/);
  expect(row?.completions.join()).not.toContain('Observation 3.0');
  expect(records[0]?.trained).toBe(3);
  expect(checkRecords('prm', rows)).toEqual({ rows: 1, labels: 3, problems: [] });
});

it('gives ties, unparsable votes and steps without votes no label, keeps them as context, and counts them', async () => {
  const script = new RunScript(run).startSegment();
  for (let step = 1; step <= 5; step += 1) script.answer([ls]);
  const { rows, dropped } = await rowsOf(script, [
    ...votesOn(1, 'km'),
    ...votesOn(2, 'uu'),
    ...votesOn(4, 'm'),
  ]);
  expect(rows[0]?.labels).toEqual([false]);
  expect(rows[0]?.metadata.steps).toEqual([4]);
  for (const step of [1, 2, 3, 4]) expect(rows[0]?.completions[0]).toContain(`Thought ${step}`);
  expect(dropped).toEqual([
    { why: 'A step on which no judge voted', count: 2 },
    { why: 'A step whose votes could all not be parsed', count: 1 },
    { why: 'A step with as many votes for it as against it', count: 1 },
  ]);
});

it('writes no row for a segment without a label, and does not label summary turns', async () => {
  const script = new RunScript(run).startSegment().answer([ls]).answer([ls]).summarise().answer([ls]);
  const { rows, dropped } = await rowsOf(script, [...votesOn(3, 'kkk'), ...votesOn(4, 'k')]);
  expect(rows.map(({ metadata }) => [metadata.segment, metadata.steps])).toEqual([[2, [4]]]);
  expect(rows[0]?.prompt).toContain('Thought 2');
  expect(dropped.at(-1)).toEqual({ why: 'A segment without a labelled step', count: 1 });
});

it('labels every step with a majority once, whatever the votes, and TRL reads it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: fc.constantFrom('k', 'm', 'u'), maxLength: 4 }), {
        minLength: 1,
        maxLength: 6,
      }),
      async (votes) => {
        const script = new RunScript(run).startSegment();
        for (const _ of votes) script.answer([ls]);
        const entries = votes.flatMap((each, index) => votesOn(index + 1, each));
        const { rows, dropped, problems } = await rowsOf(script, entries);
        expect(problems).toEqual([]);
        const expected = votes.flatMap((each) => {
          const [good, bad] = ['k', 'm'].map((kind) => each.split(kind).length - 1);
          return good === bad ? [] : [(good ?? 0) > (bad ?? 0)];
        });
        expect(rows.flatMap(({ labels }) => labels)).toEqual(expected);
        const steps = dropped.filter(({ why }) => why.startsWith('A step'));
        expect(steps.reduce((sum, { count }) => sum + count, 0) + expected.length).toBe(votes.length);
      },
    ),
    { numRuns: 60 },
  );
});
