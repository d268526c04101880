import type { StepHead } from '@shared/contract/views';
import { type ReasonCode, reasonCodes } from '@shared/labels/guideline';

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
