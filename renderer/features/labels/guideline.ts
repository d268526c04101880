import type { DecidedExamples } from '@shared/contract/ipc/guideline';
import type { StepHead } from '@shared/contract/views';
import { create } from 'zustand';
import { call } from '../../api';
import { toastFailure } from '../../state/toasts';
import { type ReasonCode, reasonCodes } from './reasons';

/** Raised when a rule's text or what counts is changed; stands in the window beside the guideline's name. */
export const GUIDELINE_VERSION = 2;

/** Which point of the guideline a rule is about. Rules that keep a step are about none. */
const pointOfRule: Readonly<Record<string, ReasonCode>> = {
  'error-observation': 'null-or-error',
  null: 'null-or-error',
  'command-failed': 'null-or-error',
  'blind-edit': 'blind-edit',
  'blind-edit-strict': 'blind-edit',
  'eval-without-change': 'eval-timing',
  'finish-below-best': 'eval-timing',
  'action-at-full-score': 'lowers-high-score',
  'provided-script-ignored': 'ignores-script',
  'framework-forbidden': 'transformers-not-vllm',
  'idle-gpus': 'idle-compute',
  'template-thought': 'template-cot',
};

function isReason(code: string): code is ReasonCode {
  return (reasonCodes as readonly string[]).includes(code);
}

/** The point at which the guideline opens: the armed reason, else what people gave as one, else the rule that fired or the judge's. */
export function pointFor(
  head: StepHead | undefined,
  armed: string | null,
  given: readonly (string | null)[] = [],
): ReasonCode | null {
  if (armed !== null && isReason(armed)) return armed;
  if (head === undefined || head.withheld) return null;
  const said = given.find((reason) => reason !== null && isReason(reason));
  if (said != null && isReason(said)) return said;
  const fired = head.rules.map((rule) => pointOfRule[rule]).find((point) => point !== undefined);
  if (fired !== undefined) return fired;
  const { reason } = head.label;
  return reason !== null && isReason(reason) ? reason : null;
}

interface GuidelineState {
  run: string | null;
  examples: ReadonlyMap<string, DecidedExamples>;
}

export const useGuideline = create<GuidelineState>()(() => ({ run: null, examples: new Map() }));

let asked = 0;

/** Reads which steps of the run were decided for which reason. */
export function loadExamples(run: string): void {
  asked += 1;
  const mine = asked;
  call('guideline.examples', { run }).then(
    (found) => {
      if (mine !== asked) return;
      useGuideline.setState({ run, examples: new Map(found.map((each) => [each.reason, each])) });
    },
    (thrown: unknown) => {
      if (mine === asked) toastFailure(thrown);
    },
  );
}
