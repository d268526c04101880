import { describe, expect, it } from 'vitest';
import { cursorMoved, grown, newSteps, scrolled } from './follow';

const following = { following: true, seen: 40 };

describe('follow', () => {
  it('stays at the tail while steps come', () => {
    const state = grown(following, 43);
    expect(state).toEqual({ following: true, seen: 43 });
    expect(newSteps(state, 43)).toBe(0);
  });

  it('leaves a reader who scrolled up alone, and counts what came', () => {
    const away = scrolled(following, 400, 40);
    expect(away.following).toBe(false);
    const later = grown(away, 42);
    expect(later).toEqual(away);
    expect(newSteps(later, 42)).toBe(2);
  });

  it('does not lose the count while the reader scrolls on', () => {
    const away = scrolled(following, 400, 40);
    expect(newSteps(scrolled(away, 900, 45), 45)).toBe(5);
  });

  it('follows again when the reader comes back to the end', () => {
    const away = { following: false, seen: 40 };
    expect(scrolled(away, 3, 45)).toEqual({ following: true, seen: 45 });
  });

  it('stops when the cursor leaves the last step, goes on when it is put there', () => {
    expect(cursorMoved(following, 12, 40).following).toBe(false);
    expect(cursorMoved({ following: false, seen: 30 }, 40, 40)).toEqual({ following: true, seen: 40 });
  });
});
