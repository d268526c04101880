import type { HintCategory, HintDelivery } from '@shared/log/outbox';
import { nextStep } from '@shared/runs/hint-queue';
import { ulid } from 'ulid';
import { create } from 'zustand';

/** What a person is about to send, with how and when it is to be delivered. */
export interface HintDraft {
  text: string;
  category: HintCategory;
  deliver: HintDelivery;
  /** A try to queue it whose answer was lost: the same text under the same id is queued once. */
  tried: { hint: string; text: string } | null;
}

interface DraftState {
  run: string | null;
  draft: HintDraft;
}

export const categories = [
  'strategy',
  'correction',
  'information',
  'question',
  'other',
] as const satisfies HintCategory[];

export const noDraft: HintDraft = { text: '', category: 'strategy', deliver: nextStep, tried: null };

/** The unsent hint of the open run. Each run has its own; all outlive the window. */
export const useHintDraft = create<DraftState>()(() => ({ run: null, draft: noDraft }));

const key = (run: string): string => `waymark.draft.${run}`;

/** Puts a run's kept draft into the composer. */
export function openDraft(run: string): void {
  useHintDraft.setState({ run, draft: readDraft(localStorage.getItem(key(run))) });
}

/** Changes the draft and keeps it at once. */
export function changeDraft(change: Partial<HintDraft>): void {
  const { run, draft } = useHintDraft.getState();
  const next = { ...draft, ...change };
  useHintDraft.setState({ draft: next });
  if (run === null) return;
  if (next.text === '') localStorage.removeItem(key(run));
  else localStorage.setItem(key(run), JSON.stringify(next));
}

/** The id under which the draft's text is queued: a second try of the same text has the id of the first. */
export function hintIdFor(draft: HintDraft): string {
  return draft.tried !== null && draft.tried.text === draft.text ? draft.tried.hint : ulid();
}

/** A kept draft; what cannot be read counts as text, so that nothing a person wrote is dropped. */
export function readDraft(stored: string | null): HintDraft {
  if (stored === null) return noDraft;
  const kept = parsed(stored);
  if (kept === null) return { ...noDraft, text: stored };
  const { text, category, deliver, tried } = kept;
  return {
    text: typeof text === 'string' ? text : '',
    category: categories.find((known) => known === category) ?? 'strategy',
    deliver: readDelivery(deliver),
    tried:
      isRecord(tried) && typeof tried.hint === 'string' && typeof tried.text === 'string'
        ? { hint: tried.hint, text: tried.text }
        : null,
  };
}

function readDelivery(kept: unknown): HintDelivery {
  if (!isRecord(kept)) return nextStep;
  const computer = typeof kept.computer === 'string' ? kept.computer : '';
  const session = typeof kept.session === 'string' ? kept.session : '';
  const number = (value: unknown, otherwise: number): number =>
    typeof value === 'number' ? value : otherwise;
  switch (kept.when) {
    case 'wake':
    case 'score_changes':
      return { when: kept.when };
    case 'session_idle':
      return { when: 'session_idle', computer, session };
    case 'gpu_idle':
      return { when: 'gpu_idle', computer, minutes: number(kept.minutes, 10) };
    case 'error_streak':
      return { when: 'error_streak', steps: number(kept.steps, 3) };
    default:
      return nextStep;
  }
}

function parsed(stored: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(stored);
    return isRecord(value) ? value : null;
  } catch {
    // Not JSON: the text itself, as the caller keeps it.
    return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
