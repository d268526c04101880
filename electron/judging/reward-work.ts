import { createHash } from 'node:crypto';
import { wellFormed } from '@shared/base/clean-text';
import type { JudgedSteps } from '@shared/judging/batch';
import { markFor } from '@shared/judging/judge-request';
import { rewardRequest } from '@shared/judging/reward-request';
import { readReward } from '@shared/judging/reward-vote';
import { type AnnotationFold, foldAnnotations } from '@shared/labels/annotation-fold';
import { type AnnotationEntry, MOST_JUDGE_TEXT } from '@shared/log/annotations';
import type { ModelRef } from '@shared/log/event-parts';
import { allAnnotations } from '../dataset/event-pages';
import { type StepOwner, stepOwners, unlessRemoved } from '../review/step-owners';
import type { Store } from '../store/api';
import type { Judged, JudgeTask } from './judge-task';
import { chosenSteps, type StaleVote } from './judge-work';
import type { Rubric } from './rubric';

/** Who rates steps, by what, and how often each. */
export interface Rater {
  /** As its votes are signed. */
  name: string;
  model: ModelRef;
  rubric: Rubric;
  votes: number;
  future: boolean;
}

type RatedStore = Pick<Store, 'reader'>;

/** Estimated tokens of a vote with the thoughts before it. */
const TOKENS_PER_VOTE = 400;

/**
 * The votes that this rater has still to give on steps of the runs, one request each. A step that branches share is rated once, where
 * it was made. Left out are summaries, steps of removed runs, purged ones, and those whose prompt cannot be shown as it was sent.
 */
export async function* rewardTasks(
  { reader }: RatedStore,
  runs: readonly string[],
  rater: Rater,
  which: JudgedSteps = 'all',
  isStale: StaleVote = async () => false,
): AsyncGenerator<JudgeTask> {
  const missing =
    which === 'changed'
      ? votesAgain(isStale, rater)
      : async ({ fold }: Said, step: number) => missingVotes(fold, step, rater);
  const known = new Map<string, Said>();
  const taken = new Set<string>();
  for (const run of new Set(runs)) {
    const read = await unlessRemoved(Promise.all([stepOwners(reader, run), chosenSteps(reader, run, which)]));
    if (read === null) continue;
    const [owners, chosen] = read;
    for (const owner of owners) {
      if (owner.gone) continue;
      const said = known.get(owner.run) ?? (await unlessRemoved(saidIn(reader, owner.run)));
      if (said === null) continue;
      known.set(owner.run, said);
      for (let step = owner.from; step <= owner.to; step += 1) {
        if (chosen?.has(step) === false || taken.has(`${owner.run} ${step}`)) continue;
        taken.add(`${owner.run} ${step}`);
        yield* tasksOn(reader, { run, owners, step }, await missing(said, step), rater);
      }
    }
  }
}

async function* tasksOn(
  reader: RatedStore['reader'],
  { run, owners, step }: { run: string; owners: readonly StepOwner[]; step: number },
  missing: readonly number[],
  rater: Rater,
): AsyncGenerator<JudgeTask> {
  const request =
    missing.length === 0 ? null : await unlessRemoved(rewardRequestFor(reader, run, step, rater));
  if (request === null) return;
  for (const vote of missing) {
    yield {
      run,
      owners,
      open: [step],
      outputTokens: () => TOKENS_PER_VOTE,
      requestFor: () => request,
      shown: (asked, frame) => ({
        run,
        rubric: 'reward',
        context: [],
        judged: [{ from: step, to: step }],
        asked: [...asked],
        frame,
      }),
      read: (answer) => [judgedBy(step, vote, answer, rater)],
    };
  }
}

/** The exact request for a vote on the step; null: it cannot be rated. @throws WaymarkError not_found */
export async function rewardRequestFor(
  reader: Pick<Store['reader'], 'rewardedStep'>,
  run: string,
  step: number,
  { model, rubric }: Pick<Rater, 'model' | 'rubric'>,
): Promise<Record<string, unknown> | null> {
  const shown = await reader.rewardedStep(run, step);
  if (shown === null) return null;
  const texts = [shown.prompt, shown.answer, shown.next];
  const mark = markFor(createHash('sha256').update(JSON.stringify(texts)).digest('hex'), texts);
  return rewardRequest(model, rubric, shown, mark);
}

interface Said {
  entries: ReadonlyMap<string, AnnotationEntry>;
  fold: AnnotationFold;
}

async function saidIn(reader: RatedStore['reader'], run: string): Promise<Said> {
  const entries = await allAnnotations(reader, run);
  return { entries: new Map(entries.map((each) => [each.ulid, each])), fold: foldAnnotations(entries) };
}

/** Numbers of the votes that do not stand yet. */
function missingVotes(fold: AnnotationFold, step: number, { name, rubric, votes }: Rater): number[] {
  const mine = fold.at(step).rewards.filter((each) => each.judge === name && each.rubric === rubric.version);
  const given = new Set(mine.map(({ vote }) => vote));
  return Array.from({ length: votes }, (_, at) => at + 1).filter((vote) => !given.has(vote));
}

/**
 * Numbers of the votes to be given again on a step that the rater has rated: all that it is asked for now where any was given by
 * another rubric, else those whose request the log no longer gives.
 */
function votesAgain(isStale: StaleVote, rater: Rater): (said: Said, step: number) => Promise<number[]> {
  return async ({ entries, fold }, step) => {
    const mine = fold.at(step).rewards.filter(({ judge }) => judge === rater.name);
    if (mine.length === 0) return [];
    const stale = new Set<number>();
    for (const { entry, vote } of mine) {
      const given = entries.get(entry);
      if (given !== undefined && (await isStale(given))) stale.add(vote);
    }
    return mine.some(({ rubric }) => rubric !== rater.rubric.version)
      ? missingVotes(fold, step, rater)
      : [...stale].filter((vote) => vote <= rater.votes).sort((one, other) => one - other);
  };
}

function judgedBy(
  step: number,
  vote: number,
  { text, reasoning }: { text: string; reasoning: string },
  { rubric, future }: Rater,
): Judged {
  const value = readReward(text);
  const thought = reasoning === '' ? {} : { reasoning: kept(reasoning) };
  return {
    step,
    op: { op: 'reward', value, vote, text: kept(text), ...thought, rubric: rubric.version, future },
    against: value === -1,
    unparsable: value === 0,
  };
}

/** The end holds the rating, so what is too long loses its beginning. */
const kept = (text: string) => wellFormed(text.slice(-MOST_JUDGE_TEXT));
