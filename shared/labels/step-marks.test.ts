import { expect, test } from 'vitest';
import { noDecisions, type StepDecisions } from './annotation-fold';
import type { HumanLabel, JudgeVerdict, RuleVerdict } from './labels';
import { judgesInShort, stepOpinion } from './step-marks';

const human = (name: string, value: 'train' | 'mask', adjudication = false): HumanLabel => ({
  entry: name,
  author: { uuid: name, name },
  value,
  reason: 'r',
  adjudication,
  at: 0,
});
const judge = (name: string, value: 'mask' | 'keep', confidence: number | null = 0.9): JudgeVerdict => ({
  judge: name,
  value,
  reason: 'J3',
  confidence,
  why: '',
  steps: [],
  rubric: '1',
  entry: name,
  at: 0,
});
const rule = (effect: 'mask' | 'keep', hard = false): RuleVerdict => ({
  rule: `${effect}${hard}`,
  version: 1,
  effect,
  hard,
  why: '',
  steps: [],
});
const said = (more: Partial<StepDecisions>): StepDecisions => ({ ...noDecisions, ...more });

test.each<[string, StepDecisions, RuleVerdict[], string[]]>([
  ['nobody spoke', said({}), [], []],
  ['a machine alone', said({}), [rule('mask')], ['unconfirmed']],
  ['rules differ', said({}), [rule('mask'), rule('keep')], ['disagreement', 'rules_differ', 'unconfirmed']],
  [
    'judges differ',
    said({ judges: [judge('a', 'mask'), judge('b', 'keep')] }),
    [],
    ['disagreement', 'judges_differ', 'unconfirmed'],
  ],
  [
    'rule and judge differ',
    said({ judges: [judge('a', 'keep')] }),
    [rule('mask', true)],
    ['disagreement', 'rule_and_judge_differ', 'unconfirmed'],
  ],
  ['an unsure judge', said({ judges: [judge('a', 'mask', 0.6)] }), [], ['low_confidence', 'unconfirmed']],
  ['a sure one', said({ judges: [judge('a', 'mask', 0.61), judge('b', 'mask', null)] }), [], ['unconfirmed']],
  ['confirmed', said({ humans: [human('Ada', 'mask')] }), [rule('mask')], ['confirmed']],
  ['a person settles what a rule says', said({ humans: [human('Ada', 'train')] }), [rule('mask')], []],
  [
    'a person without the reason that a hard mask needs',
    said({ humans: [{ ...human('Ada', 'train'), reason: null }] }),
    [rule('mask', true)],
    ['disagreement'],
  ],
  [
    'what machines differ about is settled by a person',
    said({ humans: [human('Ada', 'mask')], judges: [judge('a', 'mask', 0.1), judge('b', 'keep')] }),
    [rule('keep'), rule('mask', true)],
    ['confirmed'],
  ],
  [
    'people differ',
    said({ humans: [human('Ada', 'mask'), human('Bo', 'train')] }),
    [rule('mask')],
    ['disagreement', 'humans_differ'],
  ],
  [
    'adjudicated',
    said({ humans: [human('Ada', 'mask'), human('Bo', 'train'), human('Cy', 'train', true)] }),
    [rule('mask')],
    [],
  ],
  [
    'flag, comment, correction',
    said({
      flagged: true,
      comments: [{ entry: 'c', author: { uuid: 'a', name: 'a' }, text: 't', at: 0 }],
      corrections: [
        {
          entry: 'k',
          author: { uuid: 'a', name: 'a' },
          at: 0,
          correction: { text: '', call: { name: 'x', arguments: '{}' }, note: '' },
        },
      ],
    }),
    [],
    ['flagged', 'commented', 'corrected'],
  ],
])('%s', (_, decisions, rules, marks) => {
  expect(stepOpinion(decisions, rules).marks).toEqual(marks);
});

test('the judges in short: a mask is enough, with the surest of those who say so', () => {
  expect(judgesInShort(noDecisions)).toBeNull();
  expect(judgesInShort(said({ judges: [judge('a', 'mask', 0.5), judge('b', 'keep', 1)] }))).toEqual({
    value: 'mask',
    confidence: 0.5,
    differ: true,
  });
  expect(judgesInShort(said({ judges: [judge('a', 'keep', null)] }))).toEqual({
    value: 'keep',
    confidence: null,
    differ: false,
  });
});
