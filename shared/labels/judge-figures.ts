import type { LabelValue } from '../log/annotations';
import { type Estimate, PairTable, shareOf } from './agreement';
import { Calibration, type SureVotes } from './calibration';
import { isUnparsable, type StepOpinions } from './step-truth';

/** A judge against what counts as right on the same steps. */
export interface JudgeFigures {
  judge: string;
  /** Versions of the rubric its votes were given by, sorted. */
  rubrics: string[];
  /** Steps that it voted on. */
  votes: number;
  /** Of these, those where its vote could not be understood; they count nowhere else. */
  unparsable: number;
  /** Of these, those where two votes of it stand, made without sight of each other and different; they count nowhere else. */
  contradicting: number;
  accuracy: Estimate | null;
  kappa: Estimate | null;
  /** Of the steps it masked, those that are rightly masked; and of those that should be masked, the ones it masked. */
  maskPrecision: Estimate | null;
  maskRecall: Estimate | null;
  /** Of the steps it masked for this reason, those that are rightly masked. */
  byReason: { reason: string; masked: number; right: Estimate | null }[];
  /** Where rules speak: how often it says what the rule says, and how often it is right there. Most steps first. */
  byRule: JudgeOnRule[];
  /** By confidence, least sure first; without bands that hold no vote. Votes without a confidence are left out. */
  bySureness: SureVotes[];
  /** Expected calibration error over these bands, 0 to 1: how far sureness and share of right votes differ on average. */
  calibrationError: number | null;
}

/** A judge on the steps that a rule speaks of. */
export interface JudgeOnRule {
  rule: string;
  effect: 'mask' | 'keep';
  /** Of these, those that it has an opinion on. */
  steps: number;
  same: Estimate | null;
  right: Estimate | null;
}

type Opinion = StepOpinions['judges'][number];

interface RuleCount extends Pick<JudgeOnRule, 'rule' | 'effect' | 'steps'> {
  same: number;
  right: number;
  compared: number;
}

/** Counts what one judge says, step by step. */
export class JudgeTally {
  private readonly calibration = new Calibration();
  private readonly table = new PairTable();
  private readonly rubrics = new Set<string>();
  private readonly reasons = new Map<string, { masked: number; right: number; compared: number }>();
  private readonly rules = new Map<string, RuleCount>();
  private votes = 0;
  private unparsable = 0;
  private contradicting = 0;

  constructor(private readonly judge: string) {}

  /**
   * What it says of one step, one vote or several that a merge brought together; returns its opinion, if it has one. `truth` null:
   * nobody knows what is right.
   */
  add(said: readonly Opinion[], truth: LabelValue | null, rules: StepOpinions['rules']): Opinion | null {
    this.votes += 1;
    for (const { rubric } of said) {
      if (rubric !== '') this.rubrics.add(rubric);
    }
    const [verdict, ...others] = said.filter((each) => !isUnparsable(each));
    if (verdict === undefined) this.unparsable += 1;
    else if (others.some(({ value }) => value !== verdict.value)) this.contradicting += 1;
    else {
      this.count(verdict, truth);
      for (const rule of rules) this.countRule(rule, verdict.value === 'mask', truth);
      return verdict;
    }
    return null;
  }

  private count(verdict: Opinion, truth: LabelValue | null): void {
    const masks = verdict.value === 'mask';
    if (truth !== null) {
      this.table.add(masks ? 'mask' : 'train', truth);
      if (verdict.confidence !== null) this.calibration.add(verdict.confidence, masks === (truth === 'mask'));
    }
    if (!masks) return;
    const found = this.reasons.get(verdict.reason) ?? { masked: 0, right: 0, compared: 0 };
    this.reasons.set(verdict.reason, found);
    found.masked += 1;
    if (truth !== null) found.compared += 1;
    if (truth === 'mask') found.right += 1;
  }

  private countRule(
    { rule, effect }: StepOpinions['rules'][number],
    masks: boolean,
    truth: LabelValue | null,
  ): void {
    const key = `${effect} ${rule}`;
    const found = this.rules.get(key) ?? { rule, effect, steps: 0, same: 0, right: 0, compared: 0 };
    this.rules.set(key, found);
    found.steps += 1;
    if (masks === (effect === 'mask')) found.same += 1;
    if (truth === null) return;
    found.compared += 1;
    if (masks === (truth === 'mask')) found.right += 1;
  }

  figures(): JudgeFigures {
    const table = this.table;
    const both = table.count('mask', 'mask');
    return {
      judge: this.judge,
      rubrics: [...this.rubrics].sort(),
      votes: this.votes,
      unparsable: this.unparsable,
      contradicting: this.contradicting,
      accuracy: table.raw(),
      kappa: table.kappa(),
      maskPrecision: shareOf(both, both + table.count('mask', 'train')),
      maskRecall: shareOf(both, both + table.count('train', 'mask')),
      byReason: [...this.reasons]
        .map(([reason, { masked, right, compared }]) => ({ reason, masked, right: shareOf(right, compared) }))
        .sort((a, b) => b.masked - a.masked || (a.reason < b.reason ? -1 : 1)),
      byRule: [...this.rules.values()]
        .map(({ rule, effect, steps, same, right, compared }) => ({
          rule,
          effect,
          steps,
          same: shareOf(same, steps),
          right: shareOf(right, compared),
        }))
        .sort((a, b) => b.steps - a.steps || (a.rule < b.rule ? -1 : 1)),
      bySureness: this.calibration.bands(),
      calibrationError: this.calibration.error(),
    };
  }
}
