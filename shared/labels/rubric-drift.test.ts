import { expect, it } from 'vitest';
import { type AnnotationEntry, judgeAuthor, type LabelValue } from '../log/annotations';
import { type JudgedEntries, rubricDrift } from './rubric-drift';

type Value = 'mask' | 'keep' | 'withdrawn';
let seq = 0;

function vote(judge: string, rubric: string, step: number, value: Value, reason = ''): AnnotationEntry {
  seq += 1;
  return {
    ...{ ulid: `entry ${seq}`, at: seq, author: judgeAuthor(judge), device: 'd', deviceSeq: seq },
    ...{ target: { run: 'run', from: step, to: step }, supersedes: [] },
    body: { op: 'judge', value, confidence: null, reason, why: '', steps: [], rubric },
  };
}

const votes = (rubric: string, values: readonly Value[]) =>
  values.map((value, at) => vote('j', rubric, at + 1, value));
const run = (entries: AnnotationEntry[], people: readonly (LabelValue | null)[] = []): JudgedEntries => ({
  entries,
  truth: (step) => people[step - 1] ?? null,
});

it('tells which verdicts another rubric changed, and whether for the better', () => {
  const entries = [
    ...votes('v1', ['mask', 'mask', 'keep', 'keep', 'keep']),
    ...votes('v2', ['mask', 'keep', 'mask', 'keep']),
  ];
  expect(rubricDrift([run(entries, ['mask', 'train', 'mask', null])])).toMatchObject([
    {
      ...{ judge: 'j', before: 'v1', after: 'v2', steps: 4, toMask: 1, toKeep: 1 },
      precision: { before: { value: 0.5, n: 2 }, after: { value: 1, n: 2 } },
      recall: { before: { value: 0.5, n: 2 }, after: { value: 1, n: 2 } },
    },
  ]);
});

it('compares each rubric with the one before it, and judges and runs by themselves', () => {
  const entries = [
    ...[vote('j', 'v1', 1, 'keep'), vote('k', 'v2', 1, 'mask'), vote('j', 'v2', 1, 'mask')],
    ...[vote('j', 'v3', 1, 'mask'), vote('k', 'v2', 2, 'keep')],
  ];
  expect(rubricDrift([run(entries)])).toMatchObject([
    { judge: 'j', before: 'v1', after: 'v2', toMask: 1, toKeep: 0, precision: { before: null, after: null } },
    { judge: 'j', before: 'v2', after: 'v3', toMask: 0, toKeep: 0 },
  ]);
});

it('steps and summaries, judged by rubrics of their own in one go, are each compared with what they were judged by before', () => {
  const asked = (steps: string, summaries: string, value: Value) => [
    ...[vote('j', steps, 1, value), vote('j', summaries, 2, value), vote('j', steps, 3, 'keep')],
  ];
  expect(
    rubricDrift([run([...asked('steps 1', 'sums 1', 'keep'), ...asked('steps 2', 'sums 2', 'mask')])]),
  ).toMatchObject([
    { before: 'steps 1', after: 'steps 2', steps: 2, toMask: 1, toKeep: 0 },
    { before: 'sums 1', after: 'sums 2', steps: 1, toMask: 1, toKeep: 0 },
  ]);
});

it('a return to an earlier rubric is a change as well, whatever order a merge stored it in', () => {
  const said = [...votes('v1', ['keep']), ...votes('v2', ['mask']), ...votes('v1', ['keep'])];
  const found = [
    { before: 'v1', after: 'v2', steps: 1, toMask: 1, toKeep: 0 },
    { before: 'v2', after: 'v1', steps: 1, toMask: 0, toKeep: 1 },
  ];
  expect(rubricDrift([run(said)])).toMatchObject(found);
  expect(rubricDrift([run([...said].reverse())])).toMatchObject(found);
});

it('the last vote by a rubric counts; one taken back, not understood or without a rubric does not', () => {
  const v1 = votes('v1', ['keep', 'keep', 'keep']);
  const last = [...v1, vote('j', 'v2', 1, 'keep'), vote('j', 'v2', 1, 'mask')];
  expect(rubricDrift([run(last)])).toMatchObject([{ steps: 1, toMask: 1 }]);
  const nothing = [...v1, vote('j', 'v2', 1, 'mask'), vote('j', 'v2', 1, 'withdrawn')];
  const odd = [vote('j', 'v2', 2, 'mask', 'unparsable'), vote('j', '', 3, 'mask')];
  expect(rubricDrift([run([...nothing, ...odd])])).toEqual([]);
  // A file of votes need not name a rubric to take one back.
  expect(rubricDrift([run([...v1, vote('j', 'v2', 1, 'mask'), vote('j', '', 1, 'withdrawn')])])).toEqual([]);
  expect(rubricDrift([])).toEqual([]);
});
