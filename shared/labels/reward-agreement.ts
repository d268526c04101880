import { type Estimate, fleissKappa, PairTable } from './agreement';
import { type TaskVotes, VoteTally } from './judge-agreement';
import type { RewardVote } from './labels';

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
  /** What its votes tell of outcomes (RLAnything, theorem 1), by task. */
  tasks: TaskVotes[];
}

export interface RewardAgreement {
  raters: RaterFigures[];
  /** Of each two judges, by what most of their votes on a step say; ties do not count. */
  pairs: { one: string; other: string; raw: Estimate | null; kappa: Estimate | null }[];
}

/** How far votes on steps agree with themselves, with each other and with how runs ended. One pass. */
export function rewardAgreement(steps: Iterable<RatedStep>): RewardAgreement {
  const raters = new Map<string, Rater>();
  const pairs = new Map<string, { one: string; other: string; table: PairTable }>();
  for (const { rewards, task, outcome } of steps) {
    const own = new Map<string, RatedStep['rewards'][number][]>();
    for (const vote of rewards) own.set(vote.judge, [...(own.get(vote.judge) ?? []), vote]);
    const said: { judge: string; most: 1 | -1 }[] = [];
    for (const [judge, votes] of [...own].sort(([one], [other]) => (one < other ? -1 : 1))) {
      const rater = raters.get(judge) ?? new Rater(judge);
      raters.set(judge, rater);
      const sum = rater.add(votes, task, outcome);
      if (sum !== 0) said.push({ judge, most: sum > 0 ? 1 : -1 });
    }
    for (const [at, { judge: one, most }] of said.entries()) {
      for (const { judge: other, most: others } of said.slice(at + 1)) {
        const key = JSON.stringify([one, other]);
        const pair = pairs.get(key) ?? { one, other, table: new PairTable() };
        pairs.set(key, pair);
        pair.table.add(String(most), String(others));
      }
    }
  }
  return {
    raters: [...raters.values()].map((rater) => rater.figures()).sort(by(({ judge }) => judge)),
    pairs: [...pairs.values()]
      .map(({ one, other, table }) => ({ one, other, raw: table.raw(), kappa: table.kappa() }))
      .sort(by(({ one, other }) => `${one} ${other}`)),
  };
}

class Rater {
  private readonly rubrics = new Set<string>();
  private readonly counts: [plus: number, minus: number][] = [];
  private readonly tasks = new Map<string, VoteTally>();
  private unparsable = 0;

  constructor(private readonly judge: string) {}

  /** The votes of one step; what they sum up to. */
  add(votes: RatedStep['rewards'], task: string, outcome: RatedStep['outcome']): number {
    for (const { rubric } of votes) this.rubrics.add(rubric);
    const plus = votes.filter(({ value }) => value === 1).length;
    const minus = votes.filter(({ value }) => value === -1).length;
    this.unparsable += votes.length - plus - minus;
    this.counts.push([plus, minus]);
    if (plus + minus > 0) {
      const tally = this.tasks.get(task) ?? new VoteTally(task);
      this.tasks.set(task, tally);
      tally.add(plus, plus + minus, outcome);
    }
    return plus - minus;
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
      tasks: [...this.tasks.values()].map((tally) => tally.figures()).sort(by(({ task }) => task)),
    };
  }
}

const by =
  <T>(keyOf: (item: T) => string) =>
  (one: T, other: T) =>
    keyOf(one) < keyOf(other) ? -1 : 1;
