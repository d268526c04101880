import { describe, expect, it } from 'vitest';
import { stepHead } from '../../state/run/step-fixtures';
import { en } from '../../text/en';
import {
  halvesOf,
  initialsOf,
  judgeCode,
  noteCount,
  noteLines,
  rowSentence,
  ruleCodes,
  shownState,
  summaryLines,
} from './row-words';

const masked = stepHead(404, {
  tool: 'edit_file',
  title: 'core_algos.py',
  rules: ['blind-edit'],
  label: { value: 'mask', source: 'rule', reason: 'blind-edit', disagreement: false },
});

describe('rows', () => {
  it('read as one sentence that begins with the number', () => {
    expect(rowSentence(masked, null, en)).toBe(
      '404, edit_file core_algos.py, masked by Blind edit, not decided by a person',
    );
  });

  it('say a decision on its way is being saved, not decided', () => {
    const sentence = rowSentence(masked, 'train', en);
    expect(sentence).toContain('being saved');
    expect(sentence).not.toContain('masked');
  });

  it('say that a step was taken over from another run', () => {
    expect(rowSentence(stepHead(4, { inheritedFrom: 'run' }), null, en)).toContain('inherited');
    expect(rowSentence(masked, null, en)).not.toContain('inherited');
  });

  it('show what was just decided before what held', () => {
    expect(shownState(masked, null)).toBe('mask');
    expect(shownState(masked, 'train')).toBe('train');
    expect(shownState(masked, 'clear')).toBe('undecided');
  });

  it('count a line for every hint of one delivery', () => {
    const head = stepHead(3, {
      after: [
        {
          kind: 'hint',
          hints: [
            { id: 'a', number: 1, text: 'x' },
            { id: 'b', number: 2, text: 'y' },
          ],
        },
        { kind: 'suspended', ms: 1000 },
      ],
    });
    expect(noteCount(head)).toBe(3);
    expect(noteLines(head)).toHaveLength(noteCount(head));
  });

  it('give a summary two rows, and what it lost one each when it is opened', () => {
    const missing = Array.from({ length: 14 }, (_, index) => ({ kind: 'path', text: `/w/${index}` }));
    const head = stepHead(6, {
      kind: 'summary',
      segment: 1,
      after: [
        {
          kind: 'summary',
          step: 6,
          steps: { from: 1, to: 3 },
          pair: false,
          carried: null,
          tokensBefore: 98_000,
          tokensAfter: 41_000,
          missing,
        },
        { kind: 'suspended', ms: 1000 },
      ],
    });
    expect(noteLines(head).map(({ kind }) => kind)).toEqual(['summary', 'missing', 'note']);
    expect(rowSentence(head, null, en)).toMatch(/^6, Summarised steps 1–3, 98k → 41k tokens, undecided/);
    expect(noteLines(head)[0]).toMatchObject({ opens: 2 });
    expect(noteCount(head)).toBe(4);
    const open = { open: true, summaryApart: false };
    const opened = noteLines(head, open);
    expect(opened.filter(({ kind }) => kind === 'lost')).toHaveLength(12);
    expect(opened.find(({ kind }) => kind === 'more')).toMatchObject({ count: 2 });
    expect(noteCount(head, open)).toBe(opened.length + 1);
    expect(new Set(opened.map(({ key }) => key)).size).toBe(opened.length);
    const apart = { open: true, summaryApart: true };
    expect(noteLines(head, apart).map(({ kind }) => kind)).toEqual(['note']);
    expect(noteCount(head, apart)).toBe(1);
    expect(summaryLines(head, false).map(({ kind }) => kind)).toEqual(['summary', 'missing']);
  });

  it('say what the judge says after what holds', () => {
    const judge = { value: 'keep', confidence: 0.61, differ: false } as const;
    expect(rowSentence({ ...masked, judge }, null, en)).toBe(
      '404, edit_file core_algos.py, masked by Blind edit, judge says train 0.61, not decided by a person',
    );
    expect(rowSentence({ ...masked, judge: { ...judge, differ: true } }, null, en)).toContain(
      'judges differ',
    );
  });

  it('show nothing of opinions that are withheld', () => {
    const hidden = stepHead(7, { withheld: true });
    expect(shownState(hidden, null)).toBe('none');
    expect(shownState(hidden, 'mask')).toBe('mask');
    expect(rowSentence(hidden, null, en)).toMatch(/^7, run_command ls, opinions hidden until you decide/);
  });

  it('split the gutter where opinions differ: rule left and judge right', () => {
    const label = { value: 'mask', source: 'rule', reason: 'blind-edit', disagreement: true } as const;
    const judge = { value: 'keep', confidence: 0.61, differ: false } as const;
    const marks = ['disagreement', 'rule_and_judge_differ'] as const;
    expect(halvesOf(stepHead(1, { label, judge, marks: [...marks] }))).toEqual({
      left: 'mask',
      right: 'train',
    });
    expect(halvesOf(stepHead(1, { label, judge: { ...judge, value: 'mask' }, marks: [...marks] }))).toEqual({
      left: 'train',
      right: 'mask',
    });
    const two = { value: null, source: 'human', reason: null, disagreement: true } as const;
    expect(halvesOf(stepHead(1, { label: two, marks: ['humans_differ'] }))).toEqual({
      left: 'train',
      right: 'mask',
    });
    expect(halvesOf(stepHead(1))).toBeNull();
  });

  it('print a vote short', () => {
    const judge = { value: 'mask', confidence: 0.82, differ: false } as const;
    expect(judgeCode(stepHead(1, { judge }))).toBe('J.82');
    expect(judgeCode(stepHead(1, { judge: { ...judge, confidence: 0.05 } }))).toBe('J.05');
    expect(judgeCode(stepHead(1, { judge: { ...judge, confidence: 1 } }))).toBe('J1');
    expect(judgeCode(stepHead(1, { judge: { ...judge, confidence: null } }))).toBe('J');
    expect(judgeCode(stepHead(1, { judge: { ...judge, differ: true } }))).toBe('J≠');
    expect(judgeCode(stepHead(1))).toBe('');
  });

  it('print rules and people short', () => {
    expect(ruleCodes(['blind-edit', 'blind-edit-strict'])).toBe('R5');
    expect(ruleCodes(['command-failed', 'blind-edit'])).toBe('R3+');
    expect(ruleCodes([])).toBe('');
    expect(initialsOf('Ada Lovelace')).toBe('AL');
    expect(initialsOf('吴恩达')).toBe('吴恩');
  });
});
