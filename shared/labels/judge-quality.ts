import { AgreementFold, type JudgeAgreement } from './judge-agreement';
import { type RatedStep, type RewardAgreement, RewardFold } from './reward-agreement';
import { DriftFold, type JudgedEntries, type RubricDrift } from './rubric-drift';
import type { StepOpinions } from './step-truth';

/** How good judges are: of votes on masks, of rubrics that replaced each other, and of ratings of steps. */
export interface JudgeQuality extends JudgeAgreement {
  /** Whose word counts as right; null: what people agree on. */
  truth: string | null;
  drift: RubricDrift[];
  rewards: RewardAgreement;
  /** Names of the people who labelled any of the steps, sorted: each may be the truth. */
  labellers: string[];
  /** Steps left out because whoever asks is to decide them blind. */
  withheld: number;
}

/** Step by step and bit by bit, so that no run is in memory whole. */
export class QualityFold {
  private readonly agreement: AgreementFold;
  private readonly rewards: RewardFold;
  private readonly drift = new DriftFold();
  private readonly labellers = new Set<string>();

  /** @param truth as of `truthOf`; of ratings, the judge whose majority is the truth of a step */
  constructor(readonly truth: string | null) {
    this.agreement = new AgreementFold(truth);
    this.rewards = new RewardFold(truth);
  }

  addStep(step: StepOpinions & RatedStep): void {
    for (const { author } of step.humans) this.labellers.add(author.name);
    this.agreement.add(step);
    this.rewards.add(step);
  }

  /** What was said over time of steps, each of which comes in one bit only. */
  addHistory(judged: JudgedEntries): void {
    this.drift.add(judged);
  }

  figures(withheld: number): JudgeQuality {
    return {
      ...this.agreement.figures(),
      truth: this.truth,
      drift: this.drift.figures(),
      rewards: this.rewards.figures(),
      labellers: [...this.labellers].sort(),
      withheld,
    };
  }
}

/** What a window is told of each list. */
const MOST = 200;

/** The same without what is beyond the first 200 of each list, so that the answer is bounded whatever names a log holds. */
export function shortQuality(found: JudgeQuality): JudgeQuality {
  const some = <T>(list: readonly T[]): T[] => list.slice(0, MOST);
  const { rewards } = found;
  return {
    ...found,
    judges: some(found.judges).map((each) => ({
      ...each,
      rubrics: some(each.rubrics),
      byReason: some(each.byReason),
      byRule: some(each.byRule),
    })),
    rules: some(found.rules),
    people: some(found.people),
    pairs: some(found.pairs),
    tasks: some(found.tasks),
    drift: some(found.drift),
    labellers: some(found.labellers),
    rewards: {
      raters: some(rewards.raters).map((each) => ({
        ...each,
        rubrics: some(each.rubrics),
        tasks: some(each.tasks),
      })),
      pairs: some(rewards.pairs),
    },
  };
}
