import type { LabelValue } from '../log/annotations';
import { type Estimate, fleissKappa, PairTable, shareOf } from './agreement';
import type { HumanLabel, JudgeVerdict } from './labels';
import { separation, separationBound } from './vote-precision';

/** What was said of one step, and how its run ended. */
export interface StepOpinions {
  humans: readonly Pick<HumanLabel, 'author' | 'value' | 'adjudication'>[];
  judges: readonly Pick<JudgeVerdict, 'judge' | 'value' | 'reason' | 'rubric' | 'confidence'>[];
  /** Id of the run's task. */
  task: string;
  /** 1: the run was successful, −1: it was not, null: it was never scored. */
  outcome: 1 | -1 | null;
}

/** A judge against what people say of the same steps. */
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
  /** Of the steps it masked, those that people mask too; and of those that people mask, the ones it masked. */
  maskPrecision: Estimate | null;
  maskRecall: Estimate | null;
  /** Of the steps it masked for this reason, those that people mask too. */
  byReason: { reason: string; masked: number; right: Estimate | null }[];
  /** By confidence, least sure first; without bands that hold no vote. Votes without a confidence are left out. */
  bySureness: SureVotes[];
  /** Expected calibration error over these bands, 0 to 1: how far sureness and share of right votes differ on average. */
  calibrationError: number | null;
}

/** Votes of a judge that was about equally sure of them, on steps that people labelled. */
export interface SureVotes {
  /** Its confidence lay in `[from, to)`; the last one holds 1 as well. */
  from: number;
  to: number;
  /** Its confidence in them on average: of a calibrated judge, the share that is right. */
  sure: number;
  right: Estimate;
}

/** What the votes on a task's steps are worth (RLAnything, theorem 1). */
export interface TaskVotes {
  task: string;
  /** Votes on a step that has any, on average, rounded: m. */
  perStep: number;
  /** p₊: votes of +1 in successful runs; p₋: votes of −1 in the others. */
  plus: Estimate | null;
  minus: Estimate | null;
  /** p₊ + p₋; A, the probability that the votes tell two such steps apart, and the least that the theorem promises. */
  mu: number | null;
  separation: number | null;
  bound: number | null;
}

export interface JudgeAgreement {
  /** Steps on which anybody said anything. */
  steps: number;
  judges: JudgeFigures[];
  /** Of steps that more than one judge, or person, speaks of. */
  amongJudges: Estimate | null;
  amongPeople: Estimate | null;
  /** Of each two people who labelled the same steps. */
  people: { one: string; other: string; raw: Estimate | null; kappa: Estimate | null }[];
  tasks: TaskVotes[];
}

/** A judge that could not be understood is brought in with this as its reason, whatever its value. */
const UNPARSABLE = 'unparsable';

/** Whether a vote could not be understood. */
export const isUnparsable = ({ reason }: Pick<JudgeVerdict, 'reason'>): boolean =>
  reason.trim().toLowerCase() === UNPARSABLE;

/** What people say of a step: an adjudication, else all who spoke; null where nobody did, or they differ. */
export function peopleSay(humans: StepOpinions['humans']): LabelValue | null {
  const adjudicated = humans.filter(({ adjudication }) => adjudication);
  const [first, ...others] = adjudicated.length > 0 ? adjudicated : humans;
  return first === undefined || others.some(({ value }) => value !== first.value) ? null : first.value;
}

/** How far judges agree with people, with each other, and with how runs ended. One pass; its time grows with the opinions. */
export function judgeAgreement(steps: Iterable<StepOpinions>): JudgeAgreement {
  const judges = new Map<string, JudgeTally>();
  const pairs = new Map<string, { one: string; other: string; table: PairTable }>();
  const tasks = new Map<string, VoteTally>();
  const [judged, labelled]: [number[][], number[][]] = [[], []];
  let count = 0;
  for (const { humans, judges: verdicts, task, outcome } of steps) {
    if (humans.length === 0 && verdicts.length === 0) continue;
    count += 1;
    const truth = peopleSay(humans);
    const votes: Opinion[] = [];
    for (const [judge, said] of byJudge(verdicts)) {
      const tally = judges.get(judge) ?? new JudgeTally(judge);
      judges.set(judge, tally);
      const vote = tally.add(said, truth);
      if (vote !== null) votes.push(vote);
    }
    const keeps = votes.filter(({ value }) => value === 'keep').length;
    judged.push([keeps, votes.length - keeps]);
    const trains = humans.filter(({ value }) => value === 'train').length;
    labelled.push([trains, humans.length - trains]);
    addPairs(pairs, humans);
    if (votes.length === 0) continue;
    const tally = tasks.get(task) ?? new VoteTally(task);
    tasks.set(task, tally);
    tally.add(keeps, votes.length, outcome);
  }
  return {
    steps: count,
    judges: [...judges.values()].map((tally) => tally.figures()).sort(by(({ judge }) => judge)),
    amongJudges: fleissKappa(judged),
    amongPeople: fleissKappa(labelled),
    people: [...pairs.values()]
      .map(({ one, other, table }) => ({ one, other, raw: table.raw(), kappa: table.kappa() }))
      .sort(by(({ one, other }) => `${one}\n${other}`)),
    tasks: [...tasks.values()].map((tally) => tally.figures()).sort(by(({ task }) => task)),
  };
}

type Opinion = StepOpinions['judges'][number];

function byJudge(verdicts: readonly Opinion[]): Map<string, Opinion[]> {
  const judges = new Map<string, Opinion[]>();
  for (const verdict of verdicts) {
    const said = judges.get(verdict.judge);
    if (said === undefined) judges.set(verdict.judge, [verdict]);
    else said.push(verdict);
  }
  return judges;
}

const by =
  <T>(key: (each: T) => string) =>
  (a: T, b: T): number =>
    key(a) < key(b) ? -1 : 1;

function addPairs(
  pairs: Map<string, { one: string; other: string; table: PairTable }>,
  humans: StepOpinions['humans'],
): void {
  // Who settled a disagreement had seen it: that is no second opinion.
  const own = humans.filter(({ adjudication }) => !adjudication).sort(by(({ author }) => author.uuid));
  for (const [index, first] of own.entries()) {
    for (const second of own.slice(index + 1)) {
      if (first.author.uuid === second.author.uuid) continue;
      const key = JSON.stringify([first.author.uuid, second.author.uuid]);
      const names = { one: first.author.name, other: second.author.name };
      const pair = pairs.get(key) ?? { ...names, table: new PairTable() };
      pairs.set(key, pair);
      pair.table.add(first.value, second.value);
    }
  }
}

/** Bands of confidence, of equal width. */
const BANDS = 10;

class Calibration {
  private readonly counted = Array.from({ length: BANDS }, () => ({ votes: 0, sure: 0, right: 0 }));

  add(confidence: number, isRight: boolean): void {
    const at = Math.min(BANDS - 1, Math.floor(confidence * BANDS));
    // 0.8999999999999999 times ten is nine.
    const band = this.counted[confidence < at / BANDS ? at - 1 : at];
    if (band === undefined) return;
    band.votes += 1;
    band.sure += confidence;
    band.right += isRight ? 1 : 0;
  }

  bands(): SureVotes[] {
    return this.counted.flatMap(({ votes, sure, right }, at) => {
      const share = shareOf(right, votes);
      const edges = { from: at / BANDS, to: (at + 1) / BANDS };
      return share === null ? [] : [{ ...edges, sure: sure / votes, right: share }];
    });
  }

  error(): number | null {
    const bands = this.bands();
    const votes = bands.reduce((sum, { right }) => sum + right.n, 0);
    const gaps = bands.reduce((sum, { sure, right }) => sum + right.n * Math.abs(sure - right.value), 0);
    return votes === 0 ? null : gaps / votes;
  }
}

class JudgeTally {
  private readonly calibration = new Calibration();
  private readonly table = new PairTable();
  private readonly rubrics = new Set<string>();
  private readonly reasons = new Map<string, { masked: number; right: number; compared: number }>();
  private votes = 0;
  private unparsable = 0;
  private contradicting = 0;

  constructor(private readonly judge: string) {}

  /** What it says of one step, one vote or several that a merge brought together; returns its opinion, if it has one. */
  add(said: readonly Opinion[], truth: LabelValue | null): Opinion | null {
    this.votes += 1;
    for (const { rubric } of said) {
      if (rubric !== '') this.rubrics.add(rubric);
    }
    const [verdict, ...others] = said.filter((each) => !isUnparsable(each));
    if (verdict === undefined) this.unparsable += 1;
    else if (others.some(({ value }) => value !== verdict.value)) this.contradicting += 1;
    else {
      this.count(verdict, truth);
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
      bySureness: this.calibration.bands(),
      calibrationError: this.calibration.error(),
    };
  }
}

/** Votes for and against steps of one task, by how their runs ended. */
export class VoteTally {
  private steps = 0;
  private votes = 0;
  private good = { kept: 0, votes: 0 };
  private bad = { masked: 0, votes: 0 };

  constructor(private readonly task: string) {}

  add(keeps: number, votes: number, outcome: StepOpinions['outcome']): void {
    this.steps += 1;
    this.votes += votes;
    if (outcome === 1) {
      this.good.kept += keeps;
      this.good.votes += votes;
    } else if (outcome === -1) {
      this.bad.masked += votes - keeps;
      this.bad.votes += votes;
    }
  }

  figures(): TaskVotes {
    const perStep = Math.round(this.votes / this.steps);
    const plus = shareOf(this.good.kept, this.good.votes);
    const minus = shareOf(this.bad.masked, this.bad.votes);
    const both = plus !== null && minus !== null;
    return {
      task: this.task,
      perStep,
      plus,
      minus,
      mu: both ? plus.value + minus.value : null,
      separation: both ? separation(plus.value, minus.value, perStep) : null,
      bound: both ? separationBound(plus.value, minus.value, perStep) : null,
    };
  }
}
