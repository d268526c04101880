import type { AnnotationEntry } from '@shared/annotations';
import { create } from 'zustand';
import { call } from '../api';
import type { Text } from '../text/en';
import { useFilter } from './filter';
import { moveCursor, selection, useTimeline } from './timeline';
import { toast, toastFailure } from './toasts';

export type LabelChoice = 'train' | 'mask' | 'clear';

/** The nine priorities of APOLLO's appendix E, by number; what the keys 1–9 attach as reason. */
export const reasonCodes = [
  'ignores-script',
  'transformers-not-vllm',
  'null-or-error',
  'lowers-high-score',
  'blind-edit',
  'idle-compute',
  'contradicts-hint',
  'eval-timing',
  'template-cot',
] as const;

/** A decision on its way: `pending` until the main process said it is durable, then until its head is fresh. */
export interface PendingLabel {
  id: number;
  run: string;
  from: number;
  to: number;
  value: LabelChoice;
  phase: 'pending' | 'durable';
}

interface LabelState {
  pending: PendingLabel[];
  /** Reason for the next label, or null. */
  reason: string | null;
  /** A hard rule masks this step: TRAIN waits for a reason in words. A range is not held up; there the mask stays. */
  lift: number | null;
  /** What `.` repeats. */
  last: { value: LabelChoice; reason: string | null } | null;
  /** Annotations sent and not yet acknowledged, of every kind. */
  unsaved: number;
}

export const useLabels = create<LabelState>()(() => ({
  pending: [],
  reason: null,
  lift: null,
  last: null,
  unsaved: 0,
}));

let nextId = 1;
let tail: Promise<unknown> = Promise.resolve();

/** Sends annotations one after another, so that an undo never overtakes the label it undoes. */
function inOrder<T>(work: () => Promise<T>): Promise<T> {
  useLabels.setState((state) => ({ unsaved: state.unsaved + 1 }));
  const done = tail.then(work);
  tail = done
    .catch(() => undefined) // the caller handles it; the queue goes on
    .finally(() => useLabels.setState((state) => ({ unsaved: state.unsaved - 1 })));
  return done;
}

/** The newest decision under way for a step, or undefined. */
export function pendingFor(pending: readonly PendingLabel[], step: number): PendingLabel | undefined {
  for (let i = pending.length - 1; i >= 0; i--) {
    const entry = pending[i];
    if (entry !== undefined && entry.from <= step && step <= entry.to) return entry;
  }
  return undefined;
}

/** Arms a reason for the next label; the same one again disarms it. */
export function armReason(number: number): void {
  const code = reasonCodes[number - 1];
  if (code === undefined) return;
  useLabels.setState((state) => ({ reason: state.reason === code ? null : code }));
}

/**
 * Labels the range, or the step under the cursor, and goes on to the next. Painted as pending at once, as
 * decided only when the main process has acknowledged it; a failure takes it back and says so.
 */
export function decide(value: LabelChoice, reason = useLabels.getState().reason): void {
  const { run } = useTimeline.getState();
  const target = selection();
  if (run === null || target === null) return;
  const { from, to } = target;
  if (value === 'train' && reason === null && from === to && hasHardMask(from)) {
    useLabels.setState({ lift: from });
    return;
  }
  const id = nextId++;
  useLabels.setState((state) => ({
    pending: [...state.pending, { id, run, from, to, value, phase: 'pending' }],
    last: { value, reason },
    reason: null,
  }));
  useTimeline.setState({ anchor: null });
  if (value !== 'clear') moveCursor(following(to));
  inOrder(() => call('labels.apply', { run, from, to, value, reason: value === 'clear' ? null : reason }))
    .then(async () => {
      useLabels.setState((state) => ({
        pending: state.pending.map((entry) => (entry.id === id ? { ...entry, phase: 'durable' } : entry)),
      }));
      if (to > from) {
        toast((text) => sayDecision(text, value, from, to), {
          say: (text) => text.labels.undo,
          command: 'label.undo',
        });
      }
      if (useTimeline.getState().run === run) await useTimeline.getState().heads.refresh(from, to);
    })
    .catch((thrown: unknown) =>
      toastFailure(thrown, (text, why) => text.labels.failed(sayDecision(text, value, from, to), why)),
    )
    .finally(() =>
      useLabels.setState((state) => ({ pending: state.pending.filter((entry) => entry.id !== id) })),
    );
}

/** Rules whose mask only a person lifts, and only with a reason (semantics of the label fold). */
const hardRules: readonly string[] = ['error-observation', 'null'];

function hasHardMask(step: number): boolean {
  return (
    useTimeline
      .getState()
      .heads.get(step)
      ?.rules.some((rule) => hardRules.includes(rule)) === true
  );
}

/** Ends the question for a reason; with one, the label is given. */
export function endLift(reason: string | null): void {
  useLabels.setState({ lift: null });
  if (reason !== null) decide('train', reason);
}

/** The step after one, in what the timeline shows. */
export function following(step: number): number {
  const { filter, steps } = useTimeline.getState();
  if (filter === 'all') return Math.min(step + 1, steps);
  return useFilter.getState().steps.find((other) => other > step) ?? step;
}

/** The step before one, in what the timeline shows. */
export function preceding(step: number): number {
  const { filter } = useTimeline.getState();
  if (filter === 'all') return Math.max(step - 1, 1);
  return useFilter.getState().steps.findLast((other) => other < step) ?? step;
}

/** Confirms what holds for the step (a rule's or another person's opinion) as one's own decision. */
export function agree(): void {
  const { heads, cursor, anchor } = useTimeline.getState();
  const value = heads.get(cursor)?.label.value ?? null;
  if (value === null) toast((text) => text.labels.nothingToAgree(cursor));
  else if (anchor === null || rangeAgrees(value)) decide(value);
  else toast((text) => text.labels.nothingToAgree(cursor));
}

function rangeAgrees(value: 'train' | 'mask'): boolean {
  const target = selection();
  if (target === null) return false;
  const { heads } = useTimeline.getState();
  for (let step = target.from; step <= target.to; step++) {
    if (heads.get(step)?.label.value !== value) return false;
  }
  return true;
}

export function repeatLast(): void {
  const { last } = useLabels.getState();
  if (last === null) toast((text) => text.labels.repeatNothing);
  else decide(last.value, last.reason);
}

export async function toggleFlag(): Promise<void> {
  const { run, cursor, heads } = useTimeline.getState();
  if (run === null || cursor === 0) return;
  const on = heads.get(cursor)?.flagged !== true;
  await inOrder(() => call('labels.flag', { run, step: cursor, on }));
  toast((text) => (on ? text.labels.flagged(cursor) : text.labels.unflagged(cursor)), {
    say: (text) => text.labels.undo,
    command: 'label.undo',
  });
  await refreshStep(run, cursor);
}

export async function addComment(run: string, step: number, text: string): Promise<void> {
  await inOrder(() => call('labels.comment', { run, step, text }));
  toast((words) => words.labels.commented(step));
  await refreshStep(run, step);
}

/** Takes back the person's last annotation of the run, or brings it back. */
export async function undo(kind: 'undo' | 'redo'): Promise<void> {
  const { run } = useTimeline.getState();
  if (run === null) return;
  const done = await inOrder(() => call(kind === 'undo' ? 'labels.undo' : 'labels.redo', { run }));
  if (done === null) {
    toast((text) => (kind === 'undo' ? text.labels.nothingToUndo : text.labels.nothingToRedo));
    return;
  }
  const { target } = done;
  toast(
    (text) => (kind === 'undo' ? text.labels.undid : text.labels.redid)(sayEntry(text, target)),
    kind === 'undo'
      ? { say: (text) => text.labels.redo, command: 'label.redo' }
      : { say: (text) => text.labels.undo, command: 'label.undo' },
  );
  if (useTimeline.getState().run !== run) return;
  await useTimeline.getState().heads.refresh(target.target.from, target.target.to);
}

async function refreshStep(run: string, step: number): Promise<void> {
  const timeline = useTimeline.getState();
  if (timeline.run === run) await timeline.heads.refresh(step, step);
}

function span(from: number, to: number): string {
  return from === to ? String(from) : `${from}–${to}`;
}

function sayDecision(text: Text, value: LabelChoice, from: number, to: number): string {
  const n = to - from + 1;
  if (value === 'clear') return text.labels.cleared(n, span(from, to));
  return text.labels.did(value === 'train' ? text.labels.train : text.labels.mask, n, span(from, to));
}

/** Names an annotation entry: what undo took back. */
export function sayEntry(text: Text, entry: AnnotationEntry): string {
  const { from, to } = entry.target;
  const n = to - from + 1;
  const at = span(from, to);
  switch (entry.body.op) {
    case 'label':
      return entry.body.value === 'clear'
        ? text.labels.whatClear(n, at)
        : text.labels.whatLabel(entry.body.value === 'train' ? text.labels.train : text.labels.mask, n, at);
    case 'adjudicate':
      return text.labels.whatLabel(
        entry.body.value === 'train' ? text.labels.train : text.labels.mask,
        n,
        at,
      );
    case 'comment':
      return text.labels.whatComment(at);
    case 'flag':
      return entry.body.on ? text.labels.whatFlag(at) : text.labels.whatUnflag(at);
    case 'hint':
      return text.labels.whatHint(entry.body.verdict, at);
    case 'judge':
    case 'correct':
    case 'assign':
      return entry.body.op;
    case 'undo':
      return text.labels.opUndo;
  }
}
