import type { StepRange } from '@shared/contract/step-range';
import { type KeepCode, type ReasonCode, reasonCodes } from '@shared/labels/guideline';
import { lastGesture } from '../../state/gestures';
import { rowsNow } from '../../state/rows/rows';
import { useTimeline } from '../../state/run/timeline';
import { undoableToast } from './annotation-queue';
import { labelTarget } from './label-target';
import { sayParts } from './label-words';
import { fitting, give, OPEN_FOR, type OpenDecision, reasonNow, useLabels } from './labels';

/**
 * A reason by its number. Right after a decision without one it goes to that decision, as a second entry that replaces it; one
 * undo takes both back. Else it is set for the steps under the cursor, and the same number again lets it go. "Right after": within
 * two seconds, the person has not moved the cursor, no range is begun, and nothing else was annotated or undone since.
 */
export function giveReason(number: number): void {
  const code = reasonCodes[number - 1];
  if (code !== undefined) giveCode(code);
}

/** A reason to keep, in the same way. A MASK takes none: then it is for the steps under the cursor. */
export function giveKeepReason(code: KeepCode): void {
  giveCode(code);
}

function giveCode(code: ReasonCode | KeepCode): void {
  const open = openDecision();
  if (open !== null && fitting(code, open.decision.value) !== null) {
    attach(code, open);
    return;
  }
  const target = labelTarget();
  if (target === null) return;
  const { run, from, to } = target;
  useLabels.setState({
    reason: reasonNow() === code ? null : code,
    reasonFor: { run, from, to },
    open: null,
  });
}

/** The decision that takes a reason given now, or null. */
function openDecision(): OpenDecision | null {
  const { open } = useLabels.getState();
  const { run, moves, anchor } = useTimeline.getState();
  if (open === null || reasonNow() !== null || lastGesture().at > open.at + OPEN_FOR) return null;
  if (open.decision.run !== run || open.moves !== moves || anchor !== null) return null;
  const rows = rowsNow();
  return open.decision.parts.every((part) => rows.showsAll(part)) ? open : null;
}

/** The steps that a reason given now would be for, while that is a question: a decision just made, or a reason that is set. */
export function useReasonTarget(): { parts: readonly StepRange[]; decided: boolean } | null {
  const { open, reason, reasonFor } = useLabels();
  const { run, moves, anchor } = useTimeline();
  if (reason !== null && reasonFor !== null) return { parts: [reasonFor], decided: false };
  if (open === null || open.decision.run !== run || open.moves !== moves || anchor !== null) return null;
  return { parts: open.decision.parts, decided: true };
}

/** The selection was moved away from the steps a reason was set for: it is let go. */
export function leaveReason(): void {
  if (useLabels.getState().reason !== null && reasonNow() === null) useLabels.setState({ reason: null });
}

function attach(code: ReasonCode | KeepCode, { decision, kept }: OpenDecision): void {
  const whole = { ...decision, reason: code };
  const { value } = whole;
  const given = give(whole, kept);
  const say = undoableToast();
  // A decision that was refused has nothing a reason could be added to, and its failure has been told.
  void given.then((done) => {
    if (done === null || value === 'clear') return;
    say(
      (text) =>
        text.labels.reasonGiven(
          text.labels.reasonName(code),
          text.labels[value],
          sayParts(text, whole.parts),
        ),
      done,
    );
  });
}
