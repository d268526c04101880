import { describe, expect, it } from 'vitest';
import { en } from '../text/en';
import { initialsOf, noteCount, noteLines, rowSentence, ruleCodes, shownState } from './row-words';
import { stepHead } from './step-fixtures';

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
    expect(rowSentence(stepHead(4, { inheritedFrom: 'run' }), null, en)).toContain('taken over');
    expect(rowSentence(masked, null, en)).not.toContain('taken over');
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
          ...{ kind: 'summary', step: 6, steps: { from: 1, to: 3 }, pair: false, carried: null },
          ...{ tokensBefore: 98_000, tokensAfter: 41_000, missing },
        },
        { kind: 'suspended', ms: 1000 },
      ],
    });
    expect(noteLines(head).map(({ kind }) => kind)).toEqual(['summary', 'missing', 'note']);
    expect(rowSentence(head, null, en)).toMatch(/^6, Summarised steps 1–3, 98k → 41k tokens, undecided/);
    expect(noteLines(head)[0]).toMatchObject({ opens: 2 });
    expect(noteCount(head)).toBe(4);
    const opened = noteLines(head, true);
    expect(opened.filter(({ kind }) => kind === 'lost')).toHaveLength(12);
    expect(opened.find(({ kind }) => kind === 'more')).toMatchObject({ count: 2 });
    expect(noteCount(head, true)).toBe(opened.length + 1);
    expect(new Set(opened.map(({ key }) => key)).size).toBe(opened.length);
  });

  it('print rules and people short', () => {
    expect(ruleCodes(['blind-edit', 'blind-edit-strict'])).toBe('R5');
    expect(ruleCodes(['command-failed', 'blind-edit'])).toBe('R3+');
    expect(ruleCodes([])).toBe('');
    expect(initialsOf('Ada Lovelace')).toBe('AL');
    expect(initialsOf('吴恩达')).toBe('吴恩');
  });
});
