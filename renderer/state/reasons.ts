import { sayParts } from './label-words';
import { give, type OpenDecision, undoButton, useLabels } from './labels';
import { useTimeline } from './timeline';
import { toast } from './toasts';

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
export type ReasonCode = (typeof reasonCodes)[number];

/**
 * A reason by its number. Right after a decision without one it goes to that decision, as a second entry that replaces it; one
 * undo takes both back. Else it waits for the next decision, and the same number again lets it go. "Right after": the cursor is
 * where the decision left it, no range is begun, and nothing else was annotated or undone since.
 */
export function giveReason(number: number): void {
  const code = reasonCodes[number - 1];
  if (code === undefined) return;
  const { open, reason } = useLabels.getState();
  const { run, cursor, anchor } = useTimeline.getState();
  const attaches =
    open !== null &&
    reason === null &&
    open.decision.run === run &&
    open.cursor === cursor &&
    anchor === null;
  if (attaches) attach(code, open);
  else useLabels.setState({ reason: reason === code ? null : code, open: null });
}

function attach(code: ReasonCode, { decision, kept }: OpenDecision): void {
  const whole = { ...decision, reason: code };
  const { value } = whole;
  // A decision that was refused has nothing a reason could be added to, and its failure has been told.
  void give(whole, kept).then((done) => {
    if (!done || value === 'clear') return;
    toast(
      ({ labels }) =>
        labels.reasonGiven(labels.reasonName(code), labels[value], sayParts({ labels }, whole.parts)),
      undoButton,
    );
  });
}

/** Something else was annotated: a reason given from now on waits for the next decision. */
export function closeDecision(): void {
  useLabels.setState({ open: null });
}
