import { type Estimate, fleissKappa, PairTable, shareOf } from './agreement';
import { type JudgeFigures, JudgeTally } from './judge-figures';
import { type StepOpinions, truthOf } from './step-truth';
import { type TaskVotes, VoteTally } from './vote-tally';

/** A rule against what counts as right, on the steps that anybody spoke of. */
export interface RuleFigures {
  rule: string;
  effect: 'mask' | 'keep';
  /** Steps that it speaks of. */
  steps: number;
  /** Of those whose answer is known, the ones on which it is right. */
  right: Estimate | null;
}

export interface JudgeAgreement {
  /** Steps on which a person or a judge said anything, and of these the ones whose right answer is known. */
  steps: number;
  known: number;
  judges: JudgeFigures[];
  rules: RuleFigures[];
  /** Of steps that more than one judge, or person, speaks of. */
  amongJudges: Estimate | null;
  amongPeople: Estimate | null;
  /** Of each two people who labelled the same steps. */
  people: PairFigures[];
  /** Of each two judges, likewise. */
  pairs: PairFigures[];
  tasks: TaskVotes[];
}

/** Two who spoke of the same steps. */
export interface PairFigures {
  one: string;
  other: string;
  raw: Estimate | null;
  kappa: Estimate | null;
}

/** How far judges agree with people, with each other, and with how runs ended. One pass; its time grows with the opinions. */
export function judgeAgreement(steps: Iterable<StepOpinions>, truth: string | null = null): JudgeAgreement {
  const fold = new AgreementFold(truth);
  for (const step of steps) fold.add(step);
  return fold.figures();
}

/** The same, step by step. */
export class AgreementFold {
  private readonly judges = new Map<string, JudgeTally>();
  private readonly rules = new Map<string, { rule: string; effect: 'mask' | 'keep'; counts: Counts }>();
  private readonly people = new Pairs();
  private readonly pairs = new Pairs();
  private readonly tasks = new Map<string, VoteTally>();
  private readonly judged: number[][] = [];
  private readonly labelled: number[][] = [];
  private count = 0;
  private known = 0;

  /** @param truth whose word counts as right, as of `truthOf` */
  constructor(private readonly truth: string | null) {}

  add(step: StepOpinions): void {
    const { humans, judges: verdicts, rules, task, outcome } = step;
    if (humans.length === 0 && verdicts.length === 0) return;
    this.count += 1;
    const truth = truthOf(step, this.truth);
    if (truth !== null) this.known += 1;
    for (const each of rules) this.addRule(each, truth?.value ?? null);
    const votes: Opinion[] = [];
    for (const [judge, said] of byJudge(verdicts)) {
      const tally = this.judges.get(judge) ?? new JudgeTally(judge);
      this.judges.set(judge, tally);
      const vote = tally.add(said, truth === null || truth.judge === judge ? null : truth.value, rules);
      if (vote !== null) votes.push(vote);
    }
    const keeps = votes.filter(({ value }) => value === 'keep').length;
    this.judged.push([keeps, votes.length - keeps]);
    const trains = humans.filter(({ value }) => value === 'train').length;
    this.labelled.push([trains, humans.length - trains]);
    // Who settled a disagreement had seen it: that is no second opinion.
    const own = humans.filter(({ adjudication }) => !adjudication);
    this.people.add(own.map(({ author, value }) => ({ id: author.uuid, name: author.name, value })));
    this.pairs.add(votes.map(({ judge, value }) => ({ id: judge, name: judge, value })));
    if (votes.length === 0) return;
    const tally = this.tasks.get(task) ?? new VoteTally(task);
    this.tasks.set(task, tally);
    tally.add(keeps, votes.length, outcome);
  }

  private addRule({ rule, effect }: StepOpinions['rules'][number], truth: 'train' | 'mask' | null): void {
    const key = `${effect} ${rule}`;
    const found = this.rules.get(key) ?? { rule, effect, counts: { steps: 0, right: 0, compared: 0 } };
    this.rules.set(key, found);
    found.counts.steps += 1;
    if (truth === null) return;
    found.counts.compared += 1;
    if ((truth === 'mask') === (effect === 'mask')) found.counts.right += 1;
  }

  figures(): JudgeAgreement {
    return {
      steps: this.count,
      known: this.known,
      judges: [...this.judges.values()].map((tally) => tally.figures()).sort(by(({ judge }) => judge)),
      rules: [...this.rules.values()]
        .map(({ rule, effect, counts: { steps, right, compared } }) => ({
          rule,
          effect,
          steps,
          right: shareOf(right, compared),
        }))
        .sort((a, b) => b.steps - a.steps || (a.rule < b.rule ? -1 : 1)),
      amongJudges: fleissKappa(this.judged),
      amongPeople: fleissKappa(this.labelled),
      people: this.people.figures(),
      pairs: this.pairs.figures(),
      tasks: [...this.tasks.values()].map((tally) => tally.figures()).sort(by(({ task }) => task)),
    };
  }
}

type Opinion = StepOpinions['judges'][number];

interface Counts {
  steps: number;
  right: number;
  compared: number;
}

function byJudge(verdicts: readonly Opinion[]): Map<string, Opinion[]> {
  const judges = new Map<string, Opinion[]>();
  for (const verdict of verdicts) {
    const said = judges.get(verdict.judge);
    if (said === undefined) judges.set(verdict.judge, [verdict]);
    else said.push(verdict);
  }
  return judges;
}

/** Each two of those who speak of the same items. */
export class Pairs {
  private readonly tables = new Map<string, { one: string; other: string; table: PairTable }>();

  /** What was said of one item; `id` tells two of the same name apart. */
  add(said: readonly { id: string; name: string; value: string }[]): void {
    if (said.length < 2) return;
    const sorted = [...said].sort(by(({ id }) => id));
    for (const [index, first] of sorted.entries()) {
      for (const second of sorted.slice(index + 1)) {
        if (first.id === second.id) continue;
        const key = JSON.stringify([first.id, second.id]);
        const pair = this.tables.get(key) ?? { one: first.name, other: second.name, table: new PairTable() };
        this.tables.set(key, pair);
        pair.table.add(first.value, second.value);
      }
    }
  }

  figures(): PairFigures[] {
    return [...this.tables.values()]
      .map(({ one, other, table }) => ({ one, other, raw: table.raw(), kappa: table.kappa() }))
      .sort(by(({ one, other }) => `${one}\n${other}`));
  }
}

const by =
  <T>(key: (each: T) => string) =>
  (a: T, b: T): number =>
    key(a) < key(b) ? -1 : 1;
