import { create } from 'zustand';

/** The one polite live region: what happened, gathered into one sentence every ten seconds. */
export const useAnnounce = create<{ sentence: string }>()(() => ({ sentence: '' }));

const PAUSE = 10_000;
let gathered = new Map<string, string>();
let timer: ReturnType<typeof setTimeout> | null = null;

/** Says something to a screen reader; a later message with the same key replaces the one not yet said. */
export function announce(key: string, message: string): void {
  gathered.set(key, message);
  if (timer !== null) return;
  say();
  timer = setTimeout(function next() {
    if (gathered.size === 0) {
      timer = null;
      return;
    }
    say();
    timer = setTimeout(next, PAUSE);
  }, PAUSE);
}

function say(): void {
  useAnnounce.setState({ sentence: [...gathered.values()].join(' ') });
  gathered = new Map();
}
