import { type Estimate, shareOf } from './agreement';
import { separation, separationBound } from './vote-precision';

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

/** Votes for and against steps of one task, by how their runs ended. */
export class VoteTally {
  private steps = 0;
  private votes = 0;
  private good = { kept: 0, votes: 0 };
  private bad = { masked: 0, votes: 0 };

  constructor(private readonly task: string) {}

  add(keeps: number, votes: number, outcome: 1 | -1 | null): void {
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
