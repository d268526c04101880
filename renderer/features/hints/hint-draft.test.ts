import { beforeEach, describe, expect, it } from 'vitest';
import { keptLocally } from '../../state/storage-fixtures';
import { changeDraft, hintIdFor, noDraft, openDraft, readDraft, useHintDraft } from './hint-draft';

let kept: Map<string, string>;

beforeEach(() => {
  kept = keptLocally();
  useHintDraft.setState({ run: null, draft: noDraft });
});

describe('a draft', () => {
  it('comes back with its kind and delivery when the window begins anew, each run with its own', () => {
    openDraft('one');
    changeDraft({ text: 'Use all GPUs', category: 'correction' });
    changeDraft({ deliver: { when: 'gpu_idle', computer: 'gpu-03', minutes: 20 } });
    openDraft('two');
    changeDraft({ text: 'Look at the loss' });

    useHintDraft.setState({ run: null, draft: noDraft });
    openDraft('one');
    expect(useHintDraft.getState().draft).toMatchObject({
      text: 'Use all GPUs',
      category: 'correction',
      deliver: { when: 'gpu_idle', computer: 'gpu-03', minutes: 20 },
    });
    openDraft('two');
    expect(useHintDraft.getState().draft.text).toBe('Look at the loss');
  });

  it('leaves nothing behind when it is emptied', () => {
    openDraft('one');
    changeDraft({ text: 'x' });
    changeDraft({ text: '' });
    expect(kept.size).toBe(0);
  });

  it('keeps every text it finds, also one it does not understand', () => {
    expect(readDraft('{"text":"a","deliver":{"when":"tomorrow"},"category":"joke"}')).toMatchObject({
      text: 'a',
      category: 'strategy',
      deliver: { when: 'next_step' },
    });
    expect(readDraft('not json').text).toBe('not json');
    expect(readDraft('[1]').text).toBe('[1]');
    expect(readDraft(null)).toEqual(noDraft);
  });

  it('has one id for tries of the same text, and another for another text', () => {
    const tried = { ...noDraft, text: 'a', tried: { hint: '01ARZ3NDEKTSV4RRFFQ69G5FAV', text: 'a' } };
    expect(hintIdFor(tried)).toBe('01ARZ3NDEKTSV4RRFFQ69G5FAV');
    const changed = hintIdFor({ ...tried, text: 'ab' });
    expect(changed).not.toBe('01ARZ3NDEKTSV4RRFFQ69G5FAV');
    expect(changed).toHaveLength(26);
  });
});
