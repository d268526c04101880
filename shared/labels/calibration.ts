import { type Estimate, shareOf } from './agreement';

/** Votes of a judge that was about equally sure of them, on steps that people labelled. */
export interface SureVotes {
  /** Its confidence lay in `[from, to)`; the last one holds 1 as well. */
  from: number;
  to: number;
  /** Its confidence in them on average: of a calibrated judge, the share that is right. */
  sure: number;
  right: Estimate;
}

/** Bands of confidence, of equal width. */
const BANDS = 10;

/** How often a judge is right, by how sure it says it is. */
export class Calibration {
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
