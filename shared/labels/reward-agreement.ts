import { type Estimate, fleissKappa, PairTable, shareOf } from './agreement';
import { type PairFigures, Pairs } from './judge-agreement';
import type { RewardVote } from './labels';
import { type TaskVotes, VoteTally } from './vote-tally';

/** What judges voted on one step, and how its run ended. */
export interface RatedStep {
  rewards: readonly Pick<RewardVote, 'judge' | 'value' | 'rubric'>[];
  /** Id of the run's task. */
  task: string;
  /** 1: the run was successful, −1: it was not, null: it was never scored. */
  outcome: 1 | -1 | null;
}

/** A judge's votes on whether steps are good. */
export interface RaterFigures {
  judge: string;
  /** Versions of the rubric its votes were given by, sorted. */
  rubrics: string[];
  steps: number;
  plus: number;
  minus: number;
  /** Votes that could not be understood; they count nowhere else. */
  unparsable: number;
  /** How far its own votes on a step agree: Fleiss' κ. */
  consistency: Estimate | null;
  /** Against the judge whose majority counts as the truth of a step; null: none was named, or it is this one. */
  process: ProcessFigures | null;
  /** What its votes tell of outcomes (RLAnything, theorem 1), by task. */
  tasks: TaskVotes[];
}

/** Votes against the truth of steps (RLAnything: the majority of eight votes of a stronger model). */
export interface ProcessFigures {
  /** Of the votes that could be understood, those that say what the truth says. */
  votes: Estimate | null;
  /** The same of what most of its votes on a step say; a step on which they are equally many does not count. */
  majority: Estimate | null;
  kappa: Estimate | null;
}

export interface RewardAgreement {
  raters: RaterFigures[];
  /** Of each two judges, by what most of their votes on a step say; ties do not count. */
  pairs: PairFigures[];
}

/** How far votes on steps agree with themselves, with each other and with how runs ended. One pass. */
export function rewardAgreement(steps: Iterable<RatedStep>, truth: string | null = null): RewardAgreement {
  const fold = new RewardFold(truth);
  for (const step of steps) fold.add(step);
  return fold.figures();
}

/** The same, step by step. */
export class RewardFold {
  private readonly raters = new Map<string, Rater>();
  private readonly pairs = new Pairs();

  /** @param truth the judge whose majority counts as the truth of a step */
  constructor(private readonly truth: string | null) {}

  add({ rewards, task, outcome }: RatedStep): void {
    if (rewards.length === 0) return;
    const own = new Map<string, Vote[]>();
    for (const vote of rewards) {
      const known = own.get(vote.judge);
      if (known === undefined) own.set(vote.judge, [vote]);
      else known.push(vote);
    }
    const truth = this.truth === null ? 0 : sumOf(own.get(this.truth) ?? []);
    const said: { id: string; name: string; value: string }[] = [];
    for (const [judge, votes] of own) {
      const rater = this.raters.get(judge) ?? new Rater(judge, this.truth !== null && judge !== this.truth);
      this.raters.set(judge, rater);
      rater.add(votes, { task, outcome, truth: Math.sign(truth) });
      const sum = sumOf(votes);
      if (sum !== 0) said.push({ id: judge, name: judge, value: String(Math.sign(sum)) });
    }
    this.pairs.add(said);
  }

  figures(): RewardAgreement {
    return {
      raters: [...this.raters.values()].map((rater) => rater.figures()).sort(by(({ judge }) => judge)),
      pairs: this.pairs.figures(),
    };
  }
}

type Vote = RatedStep['rewards'][number];

const sumOf = (votes: readonly Vote[]) => votes.reduce((sum, { value }) => sum + value, 0);

class Rater {
  private readonly rubrics = new Set<string>();
  private readonly counts: [plus: number, minus: number][] = [];
  private readonly tasks = new Map<string, VoteTally>();
  private readonly majorities = new PairTable();
  private right = 0;
  private compared = 0;
  private unparsable = 0;

  constructor(
    private readonly judge: string,
    private readonly isCompared: boolean,
  ) {}

  /** The votes of one step. `truth`: 1, −1, or 0 where it is unknown. */
  add(
    votes: readonly Vote[],
    { task, outcome, truth }: Pick<RatedStep, 'task' | 'outcome'> & { truth: number },
  ): void {
    for (const { rubric } of votes) if (rubric !== '') this.rubrics.add(rubric);
    const plus = votes.filter(({ value }) => value === 1).length;
    const minus = votes.filter(({ value }) => value === -1).length;
    this.unparsable += votes.length - plus - minus;
    this.counts.push([plus, minus]);
    if (this.isCompared && truth !== 0) {
      this.compared += plus + minus;
      this.right += truth === 1 ? plus : minus;
      if (plus !== minus) this.majorities.add(String(plus > minus ? 1 : -1), String(truth));
    }
    if (plus + minus === 0) return;
    const tally = this.tasks.get(task) ?? new VoteTally(task);
    this.tasks.set(task, tally);
    tally.add(plus, plus + minus, outcome);
  }

  figures(): RaterFigures {
    return {
      judge: this.judge,
      rubrics: [...this.rubrics].sort(),
      steps: this.counts.length,
      plus: this.counts.reduce((sum, [plus]) => sum + plus, 0),
      minus: this.counts.reduce((sum, [, minus]) => sum + minus, 0),
      unparsable: this.unparsable,
      consistency: fleissKappa(this.counts),
      process: this.isCompared
        ? {
            votes: shareOf(this.right, this.compared),
            majority: this.majorities.raw(),
            kappa: this.majorities.kappa(),
          }
        : null,
      tasks: [...this.tasks.values()].map((tally) => tally.figures()).sort(by(({ task }) => task)),
    };
  }
}

const by =
  <T>(keyOf: (item: T) => string) =>
  (one: T, other: T) =>
    keyOf(one) < keyOf(other) ? -1 : 1;
