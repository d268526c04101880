import type { JudgeVerdict, RewardVote } from '@shared/labels/labels';
import { isUnparsable } from '@shared/labels/step-truth';
import type { RunPlan, StepPlan } from '../run-plan';
import type { Vote } from './advantages';

/**
 * What counts as the votes on steps. `rewards`: votes that a judge gave on whether the step is good (`judge run --mode reward`).
 * `verdicts`: what judges say of its mask, read as votes, where no step has others.
 */
export type VoteKind = 'rewards' | 'verdicts';

/** One kind for all runs that are compared: the two are not mixed. */
export function voteKind(runs: readonly Pick<RunPlan, 'segments'>[]): VoteKind {
  const rated = runs.some(({ segments }) =>
    segments.some(({ steps }) => steps.some(({ rewards }) => rewards.length > 0)),
  );
  return rated ? 'rewards' : 'verdicts';
}

/** A vote with what its judge wrote. */
export interface WrittenVote {
  judge: string;
  vote: Vote;
  /** As a model that judges would have to write it: ending with its rating, unless that could not be understood. */
  response: string;
}

type Voted = Pick<StepPlan, 'judges' | 'rewards'>;

/** In the order of the judges' names and numbers, or of the verdicts' entries. */
export function writtenVotes({ judges, rewards }: Voted, kind: VoteKind): WrittenVote[] {
  return kind === 'rewards' ? rewards.map(ofReward) : judges.map(ofVerdict);
}

export function votesOf({ judges, rewards }: Voted, kind: VoteKind): Vote[] {
  return kind === 'rewards' ? rewards.map(({ value }) => value) : judges.map(voteOf);
}

function ofReward({ judge, value, text, reasoning }: RewardVote): WrittenVote {
  const response = reasoning === '' ? text : `<think>\n${reasoning}\n</think>\n\n${text}`;
  return { judge, vote: value, response };
}

function ofVerdict(verdict: JudgeVerdict): WrittenVote {
  const { judge, why } = verdict;
  const vote = voteOf(verdict);
  const rating = `\\boxed{${vote}}`;
  return { judge, vote, response: vote === 0 ? why : why === '' ? rating : `${why}\n\n${rating}` };
}

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
