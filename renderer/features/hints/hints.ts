import type { RunHints } from '@shared/contract/views';
import type { HintVerdict, HintView } from '@shared/log/outbox';
import { nextStep } from '@shared/runs/hint-queue';
import { create } from 'zustand';
import { call, failureOf } from '../../api';
import { toast, toastFailure } from '../../state/toasts';
import { changeDraft, hintIdFor, useHintDraft } from './hint-draft';

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

/** Queues the draft of the open run and empties it. Resolves when the hint is durable; on failure the draft stays. */
export async function queueDraft(run: string): Promise<void> {
  const { draft } = useHintDraft.getState();
  const text = draft.text.trim();
  const hint = hintIdFor(draft);
  changeDraft({ tried: { hint, text: draft.text } });
  const queued = await call('hints.queue', {
    run,
    text,
    category: draft.category,
    deliver: draft.deliver,
    hint,
  });
  const now = useHintDraft.getState();
  // What was typed while it was being queued is another hint.
  if (now.run === run && now.draft.text === draft.text)
    changeDraft({ text: '', tried: null, deliver: nextStep });
  toast((words) => words.hints.queued(queued.number));
  loadHints(run);
}

export type HintChange = Pick<HintView, 'text' | 'category' | 'deliver'>;

/** What became of a change to a queued hint: made, or too late because it has left the queue. */
export type ChangeOutcome = 'done' | 'delivered' | 'withdrawn';

export function editHint(run: string, hint: HintView, change: HintChange): Promise<ChangeOutcome> {
  return changing(run, hint, async () => {
    await call('hints.edit', { run, hint: hint.id, ...change });
    toast((words) => words.hints.edited(hint.number));
  });
}

export function withdrawHint(run: string, hint: HintView): Promise<ChangeOutcome> {
  return changing(run, hint, async () => {
    await call('hints.withdraw', { run, hint: hint.id });
    toast((words) => words.hints.withdrawn(hint.number));
  });
}

/** Puts a queued hint at place `to` (0-based) of the queue. */
export function moveHint(
  run: string,
  queue: readonly HintView[],
  hint: HintView,
  to: number,
): Promise<ChangeOutcome> {
  const others = queue.filter((other) => other.id !== hint.id);
  const at = Math.max(0, Math.min(to, others.length));
  if (queue[at]?.id === hint.id) return Promise.resolve('done');
  return changing(run, hint, () =>
    call('hints.move', { run, hint: hint.id, before: others[at]?.id ?? null }),
  );
}

/** Says what became of a delivered hint, or takes the word back. */
export async function judgeHint(run: string, hint: HintView, verdict: HintVerdict | null): Promise<void> {
  await call('hints.verdict', { run, hint: hint.id, verdict });
  toast((words) => words.hints.judged(hint.number, verdict));
  loadHints(run);
}

/** Makes a change; one that lost the race against the agent's request is told in words, and the list is read again. */
async function changing(run: string, hint: HintView, work: () => Promise<unknown>): Promise<ChangeOutcome> {
  try {
    await work();
    return 'done';
  } catch (thrown) {
    const { code } = failureOf(thrown);
    if (code !== 'hint_already_delivered' && code !== 'hint_withdrawn') throw thrown;
    const outcome = code === 'hint_withdrawn' ? 'withdrawn' : 'delivered';
    toast((words) => words.hints.tooLate(hint.number, outcome));
    return outcome;
  } finally {
    loadHints(run);
  }
}

/** The hints that still wait, in the order they will be sent. */
export function queueOf(hints: RunHints | null): HintView[] {
  return (hints?.hints ?? [])
    .filter((hint) => hint.state === 'queued')
    .sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
}

/** Whether a hint waits for something of its own that has not come true yet. */
export function waitsForItsCondition(hint: HintView): boolean {
  return hint.due === null && hint.deliver.when !== 'next_step' && hint.deliver.when !== 'wake';
}
