import { describe, expect, it } from 'vitest';
import { combineLabels, initials, type LabelOpinions } from './effective-label';
import type { HumanLabel, JudgeVerdict, RuleVerdict } from './labels';

const human = (
  name: string,
  value: 'train' | 'mask',
  more: { reason?: string; adjudication?: boolean } = {},
): HumanLabel => ({
  entry: name,
  author: { uuid: name, name },
  value,
  reason: more.reason ?? null,
  adjudication: more.adjudication ?? false,
  at: 0,
});
const rule = (id: string, effect: 'mask' | 'keep', hard = false): RuleVerdict => ({
  rule: id,
  version: 1,
  effect,
  hard,
  why: '',
  steps: [],
});

const hard = rule('error-observation', 'mask', true);
const soft = rule('command-failed', 'mask');
const keep = rule('systematic-debugging', 'keep');
const vote = (judge: string, value: 'mask' | 'keep', reason: string): JudgeVerdict => ({
  judge,
  value,
  reason,
  confidence: null,
  why: '',
  steps: [],
  rubric: '1',
  entry: judge,
  at: 0,
});
const judgeMask = vote('One', 'mask', 'J3');
const judgeKeep = vote('Two', 'keep', 'J-debug');
const ada = { mask: human('Ada Lovelace', 'mask'), train: human('Ada Lovelace', 'train') };
const bo = { mask: human('Bo', 'mask'), train: human('Bo', 'train') };
const cy = (value: 'train' | 'mask') => human('Cy', value, { adjudication: true });

type Row = [string, Partial<LabelOpinions>, [string | null, string | null, boolean, string]];
const table: Row[] = [
  ['nothing said', {}, [null, null, false, 'no_label']],
  ['soft rule', { rules: [soft] }, ['mask', 'rule', false, 'soft_mask']],
  ['hard rule', { rules: [hard, soft] }, ['mask', 'rule', false, 'hard_mask']],
  ['keep rule alone', { rules: [keep] }, ['train', 'rule', false, 'keep_rule']],
  ['keep beats soft', { rules: [keep, soft] }, ['train', 'rule', true, 'keep_rule_over_mask']],
  [
    'keep beats the judge',
    { rules: [keep], judges: [judgeMask] },
    ['train', 'rule', true, 'keep_rule_over_mask'],
  ],
  ['keep never beats hard', { rules: [keep, hard] }, ['mask', 'rule', true, 'hard_mask_over_keep']],
  ['judge masks', { judges: [judgeMask] }, ['mask', 'judge', false, 'judge_mask']],
  ['judge keeps', { judges: [judgeKeep] }, ['train', 'judge', false, 'judge_keep']],
  ["judge's keep lifts nothing", { rules: [soft], judges: [judgeKeep] }, ['mask', 'rule', true, 'soft_mask']],
  ['rule and judge', { rules: [soft], judges: [judgeMask] }, ['mask', 'rule', false, 'rules_and_judge_mask']],
  [
    'judge over rule: keep lifts soft',
    { rules: [soft], judges: [judgeKeep], precedence: 'judge_over_rule' },
    ['train', 'judge', true, 'judge_keep_over_rule'],
  ],
  [
    'judge over rule: never hard',
    { rules: [hard], judges: [judgeKeep], precedence: 'judge_over_rule' },
    ['mask', 'rule', true, 'hard_mask'],
  ],
  [
    'judge over rule: mask beats keep rule',
    { rules: [keep], judges: [judgeMask], precedence: 'judge_over_rule' },
    ['mask', 'judge', true, 'judge_mask'],
  ],
  ['judges differ', { judges: [judgeKeep, judgeMask] }, ['mask', 'judge', true, 'judge_mask']],
  [
    'judges differ, a rule masks',
    { judges: [judgeKeep, judgeMask], rules: [soft] },
    ['mask', 'rule', true, 'rules_and_judge_mask'],
  ],
  [
    'judges differ, judge over rule: a mask is enough',
    { judges: [judgeMask, judgeKeep], rules: [keep], precedence: 'judge_over_rule' },
    ['mask', 'judge', true, 'judge_mask'],
  ],
  [
    'a person ends what judges differ about',
    { judges: [judgeMask, judgeKeep], humans: [ada.mask] },
    ['mask', 'human', false, 'human'],
  ],
  ['human', { humans: [ada.train] }, ['train', 'human', false, 'human']],
  ['humans agree', { humans: [ada.mask, bo.mask] }, ['mask', 'human', false, 'human']],
  ['human over soft', { humans: [ada.train], rules: [soft] }, ['train', 'human', false, 'human']],
  ['human over keep', { humans: [ada.mask], rules: [keep] }, ['mask', 'human', false, 'human']],
  [
    'human without reason does not lift hard',
    { humans: [ada.train], rules: [hard] },
    ['mask', 'rule', true, 'hard_mask_needs_reason'],
  ],
  [
    'blank is no reason',
    { humans: [human('Ada', 'train', { reason: '  ' })], rules: [hard] },
    ['mask', 'rule', true, 'hard_mask_needs_reason'],
  ],
  [
    'human with reason lifts hard',
    { humans: [human('Ada', 'train', { reason: 'the error was expected' })], rules: [hard] },
    ['train', 'human', false, 'human'],
  ],
  ['humans differ', { humans: [ada.mask, bo.train] }, [null, null, true, 'humans_differ']],
  [
    'humans differ: machines do not decide',
    { humans: [ada.mask, bo.train], rules: [hard] },
    [null, null, true, 'humans_differ'],
  ],
  [
    'adjudicated',
    { humans: [ada.mask, bo.train, cy('train')], rules: [soft] },
    ['train', 'adjudication', false, 'adjudicated'],
  ],
  [
    'adjudication without reason does not lift hard',
    { humans: [cy('train')], rules: [hard] },
    ['mask', 'rule', true, 'hard_mask_needs_reason'],
  ],
  [
    'adjudications differ',
    { humans: [cy('train'), human('Di', 'mask', { adjudication: true })] },
    [null, null, true, 'adjudications_differ'],
  ],
];

describe('combineLabels', () => {
  it.each(table)('%s', (_, opinions, [value, source, disagreement, code]) => {
    const { effective, why } = combineLabels({
      humans: [],
      rules: [],
      judges: [],
      precedence: 'union',
      ...opinions,
    });
    expect([effective.value, effective.source, effective.disagreement, why.code]).toEqual([
      value,
      source,
      disagreement,
      code,
    ]);
  });

  it('shows in narrow columns: rule id, judge reason, initials', () => {
    const at = (opinions: Partial<LabelOpinions>) =>
      combineLabels({ humans: [], rules: [], judges: [], precedence: 'union', ...opinions }).effective.reason;
    expect(at({ rules: [soft] })).toBe('command-failed');
    expect(at({ judges: [judgeMask] })).toBe('J3');
    expect(at({ judges: [vote('A', 'mask', 'z'), vote('B', 'mask', 'b'), judgeKeep] })).toBe('b');
    expect(at({ humans: [ada.mask, bo.mask] })).toBe('AL BO');
    expect([initials('吴 恩达'), initials('wu'), initials('')]).toEqual(['吴恩', 'WU', '?']);
  });
});
