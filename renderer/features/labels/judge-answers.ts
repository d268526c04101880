import type { LabelStack } from '@shared/contract/views';
import { type ReasonCode, reasonCodes } from '@shared/labels/guideline';
import { useDetails } from '../../state/run/detail';
import { useTimeline } from '../../state/run/timeline';
import { toast } from '../../state/toasts';
import { labelTarget } from './label-target';
import { decide, reasonNow } from './labels';

type Vote = Pick<LabelStack['judges'][number], 'value' | 'reason'>;

/** The label that agrees with a judge, or the other one. */
export function answerTo({ value }: Pick<Vote, 'value'>, agrees: boolean): 'train' | 'mask' {
  return (value === 'mask') === agrees ? 'mask' : 'train';
}

/**
 * Decides the step as a judge does, or the other way round, and goes on to the next. A decision like any other: it counts for and
 * against the judge in `judge agreement`. Agreeing with a mask takes the judge's reason along where it is one of the guideline's.
 */
export function answerVote(vote: Vote, agrees: boolean): void {
  decide(answerTo(vote, agrees), reasonNow() ?? (agrees ? reasonOf(vote) : null));
}

/** The same by a key, where all judges of the step under the cursor say the same. */
export function answerJudge(agrees: boolean): void {
  const target = labelTarget();
  if (target === null) return;
  const { run, from, to } = target;
  const { heads, cursor } = useTimeline.getState();
  const judge = heads.get(cursor)?.judge ?? null;
  if (from !== to) toast((text) => text.labels.oneStep);
  else if (judge === null) toast((text) => text.labels.noJudge(cursor));
  else if (judge.differ) toast((text) => text.labels.judgesDiffer(cursor));
  else {
    const [vote, ...others] = useDetails.getState().details.get(`${run}/${cursor}`)?.labels.judges ?? [];
    // Two judges may give two reasons for one verdict.
    const reason =
      vote !== undefined && others.every((each) => each.reason === vote.reason) ? vote.reason : '';
    answerVote({ value: judge.value, reason }, agrees);
  }
}

function reasonOf({ value, reason }: Vote): ReasonCode | null {
  return value === 'mask' ? (reasonCodes.find((code) => code === reason) ?? null) : null;
}
