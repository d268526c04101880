import type { HintCategory, HintView } from '@shared/outbox';
import type { RunHints } from '@shared/views';
import { create } from 'zustand';
import { call } from '../api';
import { toast, toastFailure } from './toasts';

interface HintsState {
  /** Of the open run; null until read. */
  hints: RunHints | null;
}

export const useHints = create<HintsState>()(() => ({ hints: null }));

let wanted: string | null = null;
let loading = false;
let again = false;

/** Reads a run's hints; the newest request wins. */
export function loadHints(run: string): void {
  if (wanted !== run) useHints.setState({ hints: null });
  wanted = run;
  if (loading) {
    again = true;
    return;
  }
  loading = true;
  call('hints.list', { run })
    .then(
      (hints) => {
        if (wanted === hints.run) useHints.setState({ hints });
      },
      (thrown: unknown) => toastFailure(thrown),
    )
    .finally(() => {
      loading = false;
      if (again && wanted !== null) {
        again = false;
        loadHints(wanted);
      }
    });
}

/** Queues a hint. Resolves when it is durable. */
export async function queueHint(run: string, text: string, category: HintCategory): Promise<void> {
  const hint = await call('hints.queue', { run, text, category });
  toast((words) => words.hints.queued(hint.number));
  loadHints(run);
}

export async function editHint(run: string, hint: HintView, text: string): Promise<void> {
  await call('hints.edit', { run, hint: hint.id, text });
  toast((words) => words.hints.edited(hint.number));
  loadHints(run);
}

export async function withdrawHint(run: string, hint: HintView): Promise<void> {
  await call('hints.withdraw', { run, hint: hint.id });
  toast((words) => words.hints.withdrawn(hint.number));
  loadHints(run);
}

/** Moves a queued hint one place up or down. */
export async function shiftHint(
  run: string,
  queue: readonly HintView[],
  hint: HintView,
  by: 1 | -1,
): Promise<void> {
  const at = queue.findIndex((other) => other.id === hint.id);
  const before = by === -1 ? queue[at - 1] : queue[at + 2];
  if (by === -1 && before === undefined) return;
  await call('hints.move', { run, hint: hint.id, before: before?.id ?? null });
  loadHints(run);
}

/** The hints that still wait, in the order they will be sent. */
export function queueOf(hints: RunHints | null): HintView[] {
  return (hints?.hints ?? [])
    .filter((hint) => hint.state === 'queued')
    .sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
}

const key = (run: string): string => `waymark.draft.${run}`;

/** The unsent text of a run's composer; survives the window. */
export function readDraft(run: string): { text: string; category: HintCategory } {
  const stored = localStorage.getItem(key(run));
  if (stored === null) return { text: '', category: 'strategy' };
  const at = stored.indexOf('\n');
  return { category: stored.slice(0, at) as HintCategory, text: stored.slice(at + 1) };
}

export function keepDraft(run: string, text: string, category: HintCategory): void {
  if (text === '') localStorage.removeItem(key(run));
  else localStorage.setItem(key(run), `${category}\n${text}`);
}

/** A hint that names one exact path or command might be better as a rule (APOLLO §3.3 asks for generalisable guidance). */
export function namesLiteral(text: string): boolean {
  return /(^|\s)[`"']?(?:~|\.{0,2})\/[\w.-]+\/[\w./-]{8,}/.test(text) || /`[^`]{24,}`/.test(text);
}
