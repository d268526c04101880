import { expect, test } from 'vitest';
import type { StepQuery } from '../../contract/step-query';
import type { LabelStack, SegmentView, StepDetail, StepHead, Tile } from '../../contract/views';
import type { AnnotationEntry } from '../../log/annotations';
import {
  isFor,
  matchesUnspoken,
  withheldCounts,
  withheldDetail,
  withheldHead,
  withheldSegments,
  withheldStack,
  withheldTiles,
} from './withhold';

const secret = 'SECRET';
const ada = { uuid: 'uuid of ada', name: 'Ada' };
const bob = { uuid: `uuid of ${secret}`, name: secret };

function entry(author: typeof ada, body: AnnotationEntry['body']): AnnotationEntry {
  return {
    ulid: author === ada ? 'OWN' : secret,
    at: 1,
    author,
    device: 'd',
    deviceSeq: 1,
    body,
    target: { run: 'R', from: 1, to: 1 },
    supersedes: [secret],
  };
}

const head: StepHead = {
  run: 'R',
  step: 7,
  id: 'S',
  segment: 2,
  at: 5,
  kind: 'act',
  tool: 'run_command',
  title: 'ls',
  observation: 'a.py',
  done: true,
  ok: true,
  errorCode: null,
  exitCode: 0,
  bytes: 4,
  score: 12,
  imitatesHuman: false,
  guards: [],
  computer: 'gpu',
  inheritedFrom: null,
  label: { value: 'mask', source: 'rule', reason: secret, disagreement: true },
  rules: [secret],
  by: [secret],
  decided: [bob.uuid],
  marks: ['humans_differ', 'flagged'],
  judge: { value: 'mask', confidence: 0.3, differ: true },
  withheld: false,
  flagged: true,
  comments: 3,
  after: [{ kind: 'suspended', ms: 5 }],
};

const stack: LabelStack = {
  effective: head.label,
  why: { code: 'humans_differ', params: { by: secret } },
  humans: [{ entry: secret, author: bob, value: 'mask', reason: secret, adjudication: false, at: 1 }],
  rules: [{ rule: secret, version: 1, effect: 'mask', hard: true, why: secret, steps: [3] }],
  judges: [
    {
      value: 'mask',
      reason: secret,
      judge: secret,
      confidence: 0.4,
      why: secret,
      steps: [2],
      rubric: secret,
      entry: secret,
      at: 1,
    },
  ],
  corrections: [bob, ada].map((author) => ({
    entry: author.uuid,
    author,
    at: 1,
    correction: { text: author.name, call: { name: 'ls', arguments: '{}' }, note: '' },
  })),
  comments: [bob, ada].map((author) => ({ entry: author.uuid, author, text: author.name, at: 1 })),
  assigned: [{ entry: 'A', batch: 'B', to: ada, blind: true }],
  history: [
    entry(bob, { op: 'label', value: 'mask', reason: secret }),
    entry(ada, { op: 'comment', text: 'mine' }),
  ],
  withheld: false,
};

test('of a row nothing is left that anybody said, and everything that happened', () => {
  const seen = withheldHead(head);
  expect(JSON.stringify(seen)).not.toContain(secret);
  // Field by field: what may differ from the row of a step that nobody has spoken about is nothing.
  expect(seen).toEqual({
    ...head,
    label: { value: null, source: null, reason: null, disagreement: false },
    rules: [],
    by: [],
    decided: [],
    marks: [],
    judge: null,
    flagged: false,
    comments: 0,
    withheld: true,
  });
});

test('a field that nobody has thought about is withheld', () => {
  const more = { ...head, opinionOfTomorrow: secret };
  expect(withheldHead(more)).not.toHaveProperty('opinionOfTomorrow');
  const moreOpinions = { ...stack, opinionOfTomorrow: secret };
  expect(withheldStack(moreOpinions, ada.uuid)).not.toHaveProperty('opinionOfTomorrow');
});

test('of a stack only the own words are left, without what they answered', () => {
  const seen = withheldStack(stack, ada.uuid);
  expect(JSON.stringify(seen)).not.toContain(secret);
  expect(seen).toEqual({
    effective: { value: null, source: null, reason: null, disagreement: false },
    why: { code: 'no_label', params: {} },
    humans: [],
    rules: [],
    judges: [],
    withheld: true,
    assigned: stack.assigned,
    corrections: [stack.corrections[1]],
    comments: [stack.comments[1]],
    history: [{ ...stack.history[1], supersedes: [] }],
  });
});

test('a detail tells what the step did and nothing else', () => {
  const detail: StepDetail = {
    head,
    text: 'I list.',
    reasoning: '',
    usage: null,
    cost: 1,
    durationMs: 2,
    model: 'm',
    observations: [],
    shortened: [],
    taught: null,
    hintText: null,
    files: [],
    labels: stack,
    scoreThen: 12,
    offsets: {},
    imported: null,
  };
  const seen = withheldDetail(detail, ada.uuid);
  expect(JSON.stringify(seen)).not.toContain(secret);
  expect(seen).toEqual({
    ...detail,
    head: withheldHead(head),
    labels: withheldStack(stack, ada.uuid),
  });
});

test('counts, segments and tiles are those of steps nobody has spoken about', () => {
  const hidden = [
    { from: 60, to: 66, value: 'train' as const, disagreement: false, decided: false },
    { from: 67, to: 67, value: null, disagreement: true, decided: true },
    { from: 70, to: 71, value: 'mask' as const, disagreement: true, decided: true },
  ];
  const counts = { train: 90, mask: 20, undecided: 18, disagreement: 5 };
  expect(withheldCounts(counts, hidden)).toEqual({ train: 83, mask: 18, undecided: 27, disagreement: 2 });
  const segment = (firstStep: number, lastStep: number): SegmentView => ({
    segment: 1,
    firstStep,
    lastStep,
    summaryStep: null,
    carried: null,
    counts,
  });
  expect(withheldSegments([segment(1, 64), segment(65, 128)], hidden).map((each) => each.counts)).toEqual([
    { train: 85, mask: 20, undecided: 23, disagreement: 5 },
    { train: 88, mask: 18, undecided: 22, disagreement: 2 },
  ]);
  const tile = (first: number): Tile => ({
    first,
    n: 64,
    train: 40,
    mask: 20,
    undecided: 4,
    hints: 1,
    errors: 2,
    score: null,
  });
  expect(withheldTiles([tile(1), tile(65)], hidden, 64)).toEqual([
    { ...tile(1), train: 35, undecided: 9 },
    { ...tile(65), train: 38, mask: 18, undecided: 8 },
  ]);
});

test('a query about opinions finds a withheld step only as an undecided one', () => {
  const cases: [StepQuery, boolean][] = [
    [{}, true],
    [{ tool: ['eval'], error: true, text: 'loss' }, true],
    [{ label: ['undecided'] }, true],
    [{ label: ['train', 'undecided'], source: ['none'] }, true],
    [{ label: ['train'] }, false],
    [{ label: ['mask', 'train'] }, false],
    [{ source: ['judge'] }, false],
    [{ marks: ['flagged'] }, false],
    [{ marks: ['unconfirmed', 'confirmed'] }, false],
    [{ rule: ['command-failed'] }, false],
  ];
  for (const [query, found] of cases) expect(matchesUnspoken(query), JSON.stringify(query)).toBe(found);
});

test('a person who is known by name only is that person', () => {
  expect(isFor(ada, ada)).toBe(true);
  expect(isFor({ uuid: 'name:Ada' }, ada)).toBe(true);
  expect(isFor({ uuid: 'name:Bob' }, ada)).toBe(false);
});
