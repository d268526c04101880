import { beforeEach, expect, it } from 'vitest';
import { type AnnotationEntry, judgeAuthor, type LabelValue } from '../log/annotations';
import { type JudgedEntries, rubricDrift } from './rubric-drift';

type Value = 'mask' | 'keep' | 'withdrawn';
let seq = 0;
/** The last vote of each judge on each step. */
let seen = new Map<string, string>();
beforeEach(() => {
  seen = new Map();
});

/** The judge has seen its vote before, which another device's clock may date later. */
function vote(judge: string, rubric: string, step: number, value: Value, reason = ''): AnnotationEntry {
  seq += 1;
  const before = seen.get(`${judge} ${step}`);
  seen.set(`${judge} ${step}`, `entry ${seq}`);
  return {
    ulid: `entry ${seq}`,
    at: -seq,
    author: judgeAuthor(judge),
    device: 'd',
    deviceSeq: seq,
    target: { run: 'run', from: step, to: step },
    supersedes: before === undefined ? [] : [before],
    body: { op: 'judge', value, confidence: null, reason, why: '', steps: [], rubric },
  };
}

const votes = (rubric: string, values: readonly Value[]) =>
  values.map((value, at) => vote('j', rubric, at + 1, value));
const run = (entries: AnnotationEntry[], people: readonly (LabelValue | null)[] = []): JudgedEntries => ({
  entries,
  within: [{ from: 1, to: 9 }],
  truth: (step) => people[step - 1] ?? null,
});

it('tells which verdicts another rubric changed, and whether for the better', () => {
  const entries = [
    ...votes('v1', ['mask', 'mask', 'keep', 'keep', 'keep']),
    ...votes('v2', ['mask', 'keep', 'mask', 'keep']),
  ];
  expect(rubricDrift([run(entries, ['mask', 'train', 'mask', null])])).toMatchObject([
    {
      judge: 'j',
      before: 'v1',
      after: 'v2',
      steps: 4,
      toMask: 1,
      toKeep: 1,
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
  const changes = (...said: [rubric: string, value: Value, reason?: string][]) => {
    seen = new Map();
    const entries = said.map(([rubric, value, reason]) => vote('j', rubric, 1, value, reason));
    return rubricDrift([run(entries)]).map(({ before, after, toMask }) => [before, after, toMask]);
  };
  expect(changes(['v1', 'keep'], ['v2', 'keep'], ['v2', 'mask'])).toEqual([['v1', 'v2', 1]]);
  expect(changes(['v1', 'keep'], ['v2', 'mask'], ['v2', 'withdrawn'])).toEqual([]);
  // A file of votes need not name a rubric to take one back.
  expect(changes(['v1', 'keep'], ['v2', 'mask'], ['', 'withdrawn'])).toEqual([]);
  expect(changes(['v1', 'keep'], ['v2', 'mask', 'unparsable'])).toEqual([]);
  // What comes between two rubrics and counts for nothing does not part them.
  const between: [string, Value, string?][][] = [
    [['v2', 'mask', 'unparsable']],
    [
      ['v2', 'mask', 'unparsable'],
      ['', 'withdrawn'],
    ],
    [
      ['v2', 'mask'],
      ['', 'withdrawn'],
    ],
    [['', 'mask']],
  ];
  for (const each of between)
    expect(changes(['v1', 'keep'], ...each, ['v3', 'mask']), JSON.stringify(each)).toEqual([['v1', 'v3', 1]]);
  expect(rubricDrift([])).toEqual([]);
});

it('two votes that had not seen each other are no change; one that replaces both is, from each', () => {
  const here = vote('j', 'v1', 1, 'keep');
  seen = new Map();
  const there = vote('j', 'v2', 1, 'keep');
  expect(rubricDrift([run([here, there])])).toEqual([]);
  const both = { ...vote('j', 'v3', 1, 'mask'), supersedes: [here.ulid, there.ulid] };
  expect(
    rubricDrift([run([both, there, here])]).map(({ before, after, steps }) => [before, after, steps]),
  ).toEqual([
    ['v1', 'v3', 1],
    ['v2', 'v3', 1],
  ]);
});

it('steps outside of what is looked at do not count, and a log may hold long chains and circles', () => {
  const outside = [vote('j', 'v1', 12, 'keep'), vote('j', 'v2', 12, 'mask')];
  expect(rubricDrift([run(outside)])).toEqual([]);
  const chain = Array.from({ length: 20_000 }, (_, at) => vote('j', at % 2 === 0 ? 'v1' : 'v2', 1, 'keep'));
  expect(rubricDrift([run(chain.reverse())]).map(({ steps }) => steps)).toEqual([10_000, 9_999]);
  const [one, other] = [vote('k', 'v1', 2, 'keep'), vote('k', 'v2', 2, 'mask')];
  expect(rubricDrift([run([{ ...one, supersedes: [other.ulid] }, other])])).toEqual([]);
});
