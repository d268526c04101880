import { joined, MAX_PARTS, type StepRange, targetOf } from '@shared/contract/step-range';
import { type KeepCode, keepCodes } from '@shared/labels/guideline';
import { stepsIn } from '@shared/labels/review/step-ranges';
import type { AnnotationEntry } from '@shared/log/annotations';
import { create } from 'zustand';
import { call } from '../../api';
import { lastGesture } from '../../state/gestures';
import type { CommandId } from '../../state/keys/keymap';
import { shownBeside } from '../../state/rows/rows';
import { sharedDwell } from '../../state/run/dwell';
import { moveCursor, selection, useTimeline } from '../../state/run/timeline';
import { toast, toastFailure } from '../../state/toasts';
import { inOrder, undoableToast } from './annotation-queue';
import { labelTarget, shownParts } from './label-target';
import { type LabelChoice, sayDecision, sayParts } from './label-words';

/** The reason that goes with a decision: one to keep goes with no MASK. */
export function fitting(reason: string | null, value: 'train' | 'mask' | 'clear'): string | null {
  const keeps: readonly string[] = keepCodes;
  return value === 'mask' && reason !== null && keeps.includes(reason) ? null : reason;
}

/** The keys of each reason to keep, in the order of the guideline. */
export const keepCommands: Readonly<Record<KeepCode, CommandId>> = {
  'keep-sleep-while-training': 'keep.sleep',
  'keep-debugging': 'keep.debugging',
  'keep-exploration': 'keep.exploration',
  'keep-backup': 'keep.backup',
};

/** What a person decides about some steps, ascending and apart. */
export interface Decision {
  run: string;
  parts: readonly StepRange[];
  value: LabelChoice;
  reason: string | null;
  /** An adjudication settles what people differ about. */
  settles?: boolean;
  /** Say that it was made, also when it is about one step. */
  announce?: boolean;
}

/** A decision on its way: `pending` until the main process said it is durable, then until its head is fresh. */
export interface PendingLabel {
  id: number;
  run: string;
  from: number;
  to: number;
  parts: readonly StepRange[];
  value: LabelChoice;
  phase: 'pending' | 'durable';
}

export interface OpenDecision {
  decision: Decision;
  /** The person's moves of the cursor until then. */
  moves: number;
  /** When it was made, on the clock of `performance.now()`, ms. */
  at: number;
  kept: Promise<AnnotationEntry | null>;
}

/** A decision takes a reason that is given so long after it, ms; the label bar names it meanwhile. */
export const OPEN_FOR = 2_000;

interface LabelState {
  pending: PendingLabel[];
  /** Reason for the next label, or null. */
  reason: string | null;
  /** The steps it was set for; a label elsewhere does not get it. */
  reasonFor: { run: string; from: number; to: number } | null;
  /** A hard rule masks this step: TRAIN waits for a reason in words. A range is not held up; there the mask stays. */
  lift: { run: string; step: number } | null;
  /** What `.` repeats. */
  last: { value: LabelChoice; reason: string | null } | null;
  /** The decision just made that has no reason yet, and whether it was kept. */
  open: OpenDecision | null;
}

export const useLabels = create<LabelState>()(() => ({
  pending: [],
  reason: null,
  reasonFor: null,
  lift: null,
  last: null,
  open: null,
}));

let nextId = 1;

/** The newest decision under way for a step, or undefined. */
export function pendingFor(pending: readonly PendingLabel[], step: number): PendingLabel | undefined {
  for (let i = pending.length - 1; i >= 0; i--) {
    const entry = pending[i];
    if (entry === undefined || entry.from > step || step > entry.to) continue;
    if (entry.parts.some(({ from, to }) => from <= step && step <= to)) return entry;
  }
  return undefined;
}

/**
 * Labels the range, or the step under the cursor, and goes on to the next. Painted as pending at once, as
 * decided only when the main process has acknowledged it; a failure takes it back and says so.
 */
export function decide(value: LabelChoice, reason = reasonNow()): void {
  const target = labelTarget();
  if (target === null) return;
  const { run, from, to, parts } = target;
  if (value === 'train' && reason === null && from === to && hasHardMask(from)) {
    useLabels.setState({ lift: { run, step: from } });
    return;
  }
  const head = useTimeline.getState().heads.get(from);
  if (
    from === to &&
    value !== 'clear' &&
    head?.label.source === 'adjudication' &&
    head.label.value !== value
  ) {
    const held = head.label.value === 'train' ? 'train' : 'mask';
    toast((text) => text.labels.staysSettled(from, text.labels[held]));
  }
  useTimeline.setState({ anchor: null });
  if (value !== 'clear') moveCursor(following(to));
  give({ run, parts, value, reason: value === 'clear' ? null : fitting(reason, value) });
}

/** Settles what people differ about, on the range or the step under the cursor, and goes on. */
export function settle(value: 'train' | 'mask'): void {
  const { heads, anchor } = useTimeline.getState();
  const target = labelTarget();
  if (target === null) return;
  const { run, parts } = target;
  const head = heads.get(target.from);
  const open = head?.marks.includes('humans_differ') === true || head?.label.source === 'adjudication';
  if (anchor === null && !open) {
    toast((text) => text.labels.nothingToSettle(target.from));
    return;
  }
  useTimeline.setState({ anchor: null });
  moveCursor(following(target.to));
  give({ run, parts, value, reason: fitting(reasonNow(), value), settles: true });
}

/**
 * Sends a decision: pending at once, decided when durable. With `after` it is sent only if that was kept. Resolves to its (last)
 * entry; null: it was not kept. Never rejects.
 */
export function give(
  decision: Decision,
  after?: Promise<AnnotationEntry | null>,
): Promise<AnnotationEntry | null> {
  const { run, parts, value, reason } = decision;
  const from = parts[0]?.from ?? 0;
  const to = parts.at(-1)?.to ?? 0;
  const id = nextId++;
  const sent = inOrder(async () => {
    if (after !== undefined && (await after) === null) return null;
    return send(decision);
  });
  const say = undoableToast();
  const kept = sent.catch((thrown: unknown) => {
    toastFailure(thrown, (text, why) =>
      text.labels.failed(sayDecision(text, value, parts, decision.settles), why),
    );
    return null;
  });
  kept
    .then(async (done) => {
      if (done === null) return;
      useLabels.setState((state) => ({
        pending: state.pending.map((entry) => (entry.id === id ? { ...entry, phase: 'durable' } : entry)),
      }));
      if (after === undefined && (to > from || decision.settles === true || decision.announce === true)) {
        say((text) => sayDecision(text, value, parts, decision.settles), done);
      }
      if (useTimeline.getState().run !== run) return;
      await useTimeline.getState().heads.refresh(from, to);
      if (value === 'train' && reason === null) sayStillMasked(parts);
    })
    .catch((thrown: unknown) => toastFailure(thrown))
    .finally(() =>
      useLabels.setState((state) => ({ pending: state.pending.filter((entry) => entry.id !== id) })),
    );
  const { moves } = useTimeline.getState();
  const at = lastGesture().at;
  const open = reason === null && value !== 'clear' ? { decision, moves, at, kept } : null;
  useLabels.setState((state) => ({
    pending: [...state.pending, { id, run, from, to, parts, value, phase: 'pending' }],
    last: { value, reason },
    reason: null,
    open,
  }));
  if (open !== null) setTimeout(() => closeDecision(open), OPEN_FOR);
  return kept;
}

/** Something else was annotated, or time has passed: a reason given from now on is for the step under the cursor. */
export function closeDecision(only = useLabels.getState().open): void {
  useLabels.setState(({ open }) => (open === only ? { open: null } : {}));
}

/** The reason that was set for the steps under the cursor; one set for other steps is over. */
export function reasonNow(): string | null {
  const { reason, reasonFor } = useLabels.getState();
  const { run } = useTimeline.getState();
  const selected = selection();
  if (reason === null || reasonFor === null || selected === null) return null;
  const holds = reasonFor.run === run && reasonFor.from <= selected.to && selected.from <= reasonFor.to;
  return holds ? reason : null;
}

/** Its entry; the last one of a decision that takes several. */
async function send({ run, parts, value, reason, settles }: Decision): Promise<AnnotationEntry | null> {
  const [only] = parts;
  if (only !== undefined && parts.length === 1 && (settles !== true || value === 'clear'))
    return call('labels.apply', { run, ...only, value, reason, ...sharedDwell(run, only) });
  let last: AnnotationEntry | null = null;
  for (let at = 0; at < parts.length; at += MAX_PARTS) {
    const some = parts.slice(at, at + MAX_PARTS);
    const target = targetOf(run, some);
    last =
      target !== null && settles === true && value !== 'clear'
        ? await call('labels.adjudicate', { ...target, value, reason })
        : await call('labels.applyTo', { run, parts: some, value, reason });
  }
  return last;
}

/** Rules whose mask only a person lifts, and only with a reason (semantics of the label fold). */
const hardRules: readonly string[] = ['error-observation', 'null'];

function hasHardMask(step: number): boolean {
  const rules = useTimeline.getState().heads.get(step)?.rules;
  return rules?.some((rule) => hardRules.includes(rule)) === true;
}

/** A range is not held up by its hard masks; which of its steps stay masked is said once it is kept. */
function sayStillMasked(parts: readonly StepRange[]): void {
  const { heads } = useTimeline.getState();
  const masked: StepRange[] = [];
  for (const { from, to } of parts) {
    for (let step = from; step <= to; step += 1) {
      if (heads.get(step)?.label.value === 'mask' && hasHardMask(step)) masked.push({ from: step, to: step });
    }
  }
  const still = joined(masked);
  if (still.length > 0) toast((text) => text.labels.stillMasked(stepsIn(still), sayParts(text, still)));
}

/** Ends the question for a reason; with one, the step that was asked about is labelled, wherever the cursor is now. */
export function endLift(reason: string | null): void {
  const { lift } = useLabels.getState();
  useLabels.setState({ lift: null });
  if (reason === null || lift === null) return;
  const { run, step } = lift;
  const now = useTimeline.getState();
  if (now.run === run && now.cursor === step) moveCursor(following(step));
  void give({ run, parts: [{ from: step, to: step }], value: 'train', reason });
}

/** The step after one, in what the timeline shows. */
export function following(step: number): number {
  return shownBeside(step, 1);
}

/** The step before one, in what the timeline shows. */
export function preceding(step: number): number {
  return shownBeside(step, -1);
}

/** Confirms what holds for the step (a machine's or another person's opinion) as one's own decision. */
export function agree(): void {
  if (labelTarget() === null) return;
  const { heads, cursor, anchor } = useTimeline.getState();
  const value = heads.get(cursor)?.label.value ?? null;
  if (value === null) toast((text) => text.labels.nothingToAgree(cursor));
  else if (anchor === null || rangeAgrees(value)) decide(value);
  else toast((text) => text.labels.rangeDiffers(cursor));
}

function rangeAgrees(value: 'train' | 'mask'): boolean {
  const target = selection();
  if (target === null) return false;
  const { heads } = useTimeline.getState();
  for (const { from, to } of shownParts(target)) {
    for (let step = from; step <= to; step++) {
      if (heads.get(step)?.label.value !== value) return false;
    }
  }
  return true;
}

export function repeatLast(): void {
  const { last } = useLabels.getState();
  if (last === null) toast((text) => text.labels.repeatNothing);
  else decide(last.value, last.reason);
}
