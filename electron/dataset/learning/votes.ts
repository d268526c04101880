import { isUnparsable } from '@shared/labels/judge-agreement';
import type { JudgeVerdict } from '@shared/labels/labels';
import type { Vote } from './advantages';

/**
 * A judge's standing verdict as a vote: keep +1, mask −1, unparsable 0. A judge has one verdict on a step, so m votes of one model
 * are brought in under m names.
 */
export function voteOf(verdict: Pick<JudgeVerdict, 'value' | 'reason'>): Vote {
  if (isUnparsable(verdict)) return 0;
  return verdict.value === 'keep' ? 1 : -1;
}

/** Why the votes on a step come to no label. */
export type NoMajority = 'no votes' | 'unparsable' | 'tie';

/** What most votes say; unparsable ones are not counted. */
export function majority(votes: readonly Vote[]): boolean | NoMajority {
  if (votes.length === 0) return 'no votes';
  const told = votes.filter((vote) => vote !== 0);
  if (told.length === 0) return 'unparsable';
  const good = told.filter((vote) => vote === 1).length;
  return 2 * good === told.length ? 'tie' : 2 * good > told.length;
}
