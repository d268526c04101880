import { expect, it } from 'vitest';
import { judgeAgreement } from './judge-agreement';
import { peopleSay, type StepOpinions, truthOf } from './step-truth';

type Said = 'train' | 'mask';
const person = (name: string, value: Said, adjudication = false) => ({
  author: { uuid: name, name },
  value,
  adjudication,
});
const vote = (judge: string, value: 'mask' | 'keep', reason = '', confidence: number | null = null) => ({
  judge,
  value,
  reason,
  confidence,
  rubric: 'v1',
});
const step = (more: Partial<StepOpinions>): StepOpinions => ({
  humans: [],
  judges: [],
  rules: [],
  task: 't',
  outcome: null,
  ...more,
});

it('a judge is compared with what people say, and per reason', () => {
  const found = judgeAgreement([
    step({ humans: [person('ada', 'mask')], judges: [vote('j', 'mask', 'blind-edit')] }),
    step({ humans: [person('ada', 'mask')], judges: [vote('j', 'mask', 'blind-edit')] }),
    step({ humans: [person('ada', 'train')], judges: [vote('j', 'mask', 'early-finish')] }),
    step({ humans: [person('ada', 'train')], judges: [vote('j', 'keep')] }),
    step({ humans: [person('ada', 'mask')], judges: [vote('j', 'keep')] }),
    // Nobody knows what is right here.
    step({
      humans: [person('ada', 'mask'), person('bo', 'train')],
      judges: [vote('j', 'mask', 'blind-edit')],
    }),
    step({ judges: [vote('j', 'keep', 'Unparsable')] }),
    step({}),
  ]);
  expect(found.steps).toBe(7);
  expect(found.judges).toMatchObject([
    {
      judge: 'j',
      rubrics: ['v1'],
      votes: 7,
      unparsable: 1,
      accuracy: { value: 3 / 5, n: 5 },
      maskPrecision: { value: 2 / 3, n: 3 },
      maskRecall: { value: 2 / 3, n: 3 },
      byReason: [
        { reason: 'blind-edit', masked: 3, right: { value: 1, n: 2 } },
        { reason: 'early-finish', masked: 1, right: { value: 0, n: 1 } },
      ],
    },
  ]);
  // Observed 0.6; by chance 0.6 × 0.6 + 0.4 × 0.4 = 0.52.
  expect(found.judges[0]?.kappa?.value).toBeCloseTo(0.08 / 0.48, 12);
});

it('a judge that is sure of what is right is calibrated; one that is sure of everything is not', () => {
  const said = (confidence: number | null, right: number, wrong: number) =>
    Array.from({ length: right + wrong }, (_, at) =>
      step({
        humans: [person('ada', at < right ? 'mask' : 'train')],
        judges: [vote('j', 'mask', '', confidence)],
      }),
    );
  const [calibrated] = judgeAgreement([...said(0.9, 9, 1), ...said(0.5, 5, 5), ...said(null, 0, 4)]).judges;
  expect(calibrated?.bySureness).toMatchObject([
    { from: 0.5, to: 0.6, sure: 0.5, right: { value: 0.5, n: 10 } },
    { from: 0.9, to: 1, right: { value: 0.9, n: 10 } },
  ]);
  expect(calibrated?.calibrationError).toBeCloseTo(0, 12);
  // Sure of all, right in half; the band of 1 is the last one.
  const [sure] = judgeAgreement(said(1, 10, 10)).judges;
  expect(sure?.bySureness).toMatchObject([{ from: 0.9, to: 1, sure: 1, right: { value: 0.5, n: 20 } }]);
  expect(sure?.calibrationError).toBe(0.5);
  // A band holds what is in it: the largest number below 0.9 is not.
  const below = judgeAgreement(said(0.9 - Number.EPSILON / 2, 1, 0)).judges[0]?.bySureness;
  expect(below).toMatchObject([{ from: 0.8, to: 0.9 }]);
  // Nothing to compare with: no confidence, no label by people, not understood.
  const [unknown] = judgeAgreement([
    ...said(null, 1, 1),
    step({ judges: [vote('j', 'mask', '', 0.9)] }),
    step({ humans: [person('ada', 'mask')], judges: [vote('j', 'keep', 'unparsable', 0.9)] }),
  ]).judges;
  expect(unknown).toMatchObject({ bySureness: [], calibrationError: null });
});

it('rules are held against what is right, and each judge is looked at where a rule speaks', () => {
  const masks = { rule: 'blind-edit', effect: 'mask' } as const;
  const keeps = { rule: 'keep-backup', effect: 'keep' } as const;
  const found = judgeAgreement([
    step({ humans: [person('ada', 'mask')], judges: [vote('j', 'mask')], rules: [masks] }),
    step({ humans: [person('ada', 'train')], judges: [vote('j', 'keep')], rules: [masks, keeps] }),
    step({ judges: [vote('j', 'keep')], rules: [masks] }),
    // Nobody spoke: neither do rules count.
    step({ rules: [masks, keeps] }),
  ]);
  expect(found).toMatchObject({ steps: 3, known: 2 });
  expect(found.rules).toMatchObject([
    { ...masks, steps: 3, right: { value: 0.5, n: 2 } },
    { ...keeps, steps: 1, right: { value: 1, n: 1 } },
  ]);
  expect(found.judges[0]?.byRule).toMatchObject([
    { ...masks, steps: 3, same: { value: 1 / 3, n: 3 }, right: { value: 1, n: 2 } },
    { ...keeps, steps: 1, same: { value: 1, n: 1 }, right: { value: 1, n: 1 } },
  ]);
});

it('the truth may be one person, as who knows what was planted, or a judge, which is not held against itself', () => {
  const steps = [
    step({
      humans: [person('ada', 'train'), person('planted', 'mask')],
      judges: [vote('weak', 'keep'), vote('strong', 'mask')],
    }),
    step({ humans: [person('planted', 'train')], judges: [vote('weak', 'keep'), vote('strong', 'keep')] }),
    step({ judges: [vote('weak', 'mask'), vote('strong', 'mask', 'unparsable')] }),
  ];
  expect(judgeAgreement(steps).known).toBe(1);
  const planted = judgeAgreement(steps, 'planted');
  expect(planted.known).toBe(2);
  expect(planted.judges).toMatchObject([
    { judge: 'strong', accuracy: { value: 1, n: 2 } },
    { judge: 'weak', accuracy: { value: 0.5, n: 2 } },
  ]);
  const strong = judgeAgreement(steps, 'strong');
  expect(strong.judges).toMatchObject([
    { judge: 'strong', accuracy: null },
    { judge: 'weak', accuracy: { value: 0.5, n: 2 } },
  ]);
  expect(planted.pairs).toMatchObject([{ one: 'strong', other: 'weak', raw: { value: 0.5, n: 2 } }]);
  expect(judgeAgreement(steps, 'nobody').known).toBe(0);
});

it('a judge of a person’s name does not speak for that person', () => {
  const both = { humans: [person('ada', 'train')], judges: [vote('ada', 'mask')] };
  expect(truthOf(both, 'ada')).toEqual({ value: 'train', judge: null });
  expect(truthOf({ ...both, humans: [] }, 'ada')).toEqual({ value: 'mask', judge: 'ada' });
  const torn = [person('ada', 'train'), person('ada', 'mask')];
  expect(truthOf({ ...both, humans: torn }, 'ada')).toBeNull();
});

it('two votes of one judge that a merge brought together are one opinion, or none', () => {
  const found = judgeAgreement([
    step({
      humans: [person('ada', 'mask')],
      judges: [vote('j', 'mask', '', 0.9), vote('j', 'mask', '', 0.8)],
    }),
    step({ humans: [person('ada', 'mask')], judges: [vote('j', 'mask'), vote('j', 'keep')] }),
    step({ humans: [person('ada', 'mask')], judges: [vote('j', 'mask', 'unparsable'), vote('j', 'keep')] }),
    step({ judges: [vote('j', 'keep'), vote('k', 'keep')], outcome: 1 }),
  ]);
  expect(found.judges[0]).toMatchObject({
    votes: 4,
    unparsable: 0,
    contradicting: 1,
    accuracy: { value: 0.5, n: 2 },
    bySureness: [{ from: 0.9, right: { n: 1 } }],
  });
  // No judge agrees with itself: only one step has two who speak.
  expect(found.amongJudges?.n ?? 0).toBeLessThanOrEqual(1);
  expect(found.tasks).toMatchObject([{ plus: { n: 2 } }]);
});

it('an adjudication is what people say; who settled it is no second opinion', () => {
  const settled = [person('ada', 'mask'), person('bo', 'train'), person('cy', 'train', true)];
  expect(peopleSay(settled)).toBe('train');
  expect(peopleSay(settled.slice(0, 2))).toBeNull();
  expect(peopleSay([])).toBeNull();
  const { people } = judgeAgreement([
    step({ humans: settled }),
    step({ humans: [person('bo', 'mask'), person('ada', 'mask')] }),
  ]);
  expect(people).toMatchObject([{ one: 'ada', other: 'bo', raw: { value: 0.5, n: 2 } }]);
});

it('votes are weighed against how runs ended, task by task', () => {
  const judges = [vote('a', 'keep'), vote('b', 'keep'), vote('c', 'mask')];
  const [open] = judgeAgreement([step({ judges, outcome: 1 })]).tasks;
  expect(open).toMatchObject({ task: 't', perStep: 3, plus: { value: 2 / 3, n: 3 }, minus: null, mu: null });
  const { tasks } = judgeAgreement([
    step({ judges, outcome: 1 }),
    step({ judges: judges.map((each) => ({ ...each, value: 'mask' as const })), outcome: -1 }),
    step({ judges, outcome: null }),
    step({ judges, outcome: 1, task: 'other' }),
  ]);
  expect(tasks.map(({ task }) => task)).toEqual(['other', 't']);
  expect(tasks[1]?.mu).toBeCloseTo(2 / 3 + 1, 12);
  // Three votes of −1 each time: all but no vote of +1 among the others.
  expect(tasks[1]?.separation).toBeCloseTo(1 - (1 / 3) ** 3, 12);
  expect(tasks[1]?.bound).toBeCloseTo(1 - Math.exp((-3 * (2 / 3) ** 2) / 4), 12);
});

it('an opinion on many steps is counted once for each, whatever the order', () => {
  const steps = Array.from({ length: 3_000 }, (_, index) =>
    step({
      humans: [person('ada', index % 3 === 0 ? 'mask' : 'train')],
      judges: [vote('j', index % 3 === 0 || index % 10 === 0 ? 'mask' : 'keep')],
      outcome: index % 2 === 0 ? 1 : -1,
    }),
  );
  const found = judgeAgreement(steps);
  expect(found.judges[0]).toMatchObject({ votes: 3_000, maskRecall: { value: 1, n: 1_000 } });
  expect(judgeAgreement([...steps].reverse())).toEqual(found);
});
