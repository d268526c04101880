import type { EventBody, NewEvent } from '@shared/log/events';
import type { HintDelivery } from '@shared/log/outbox';
import type { WaitingHint } from '@shared/runs/hint-queue';

/** The longest row of failures a hint can wait for. */
const MOST_FAILURES = 100;

/**
 * Run log → which conditions of waiting hints have come true. What counts is the order of the log (`WaitingHint.set.seq`),
 * so a driver that takes over after a kill comes to the same answer; only how long a GPU is idle needs the clock. Feed it
 * every event of the run in order, from the first.
 */
export class HintConditions {
  private seq = 0;
  /** Seq of the first failure of each step in the row that ends with the latest step. */
  private failures: number[] = [];
  private failed = false;
  private score: number | null = null;
  private scoreChange: { seq: number; from: number | null; to: number } | null = null;
  private readonly idleGpus = new Map<string, number>();

  apply(event: NewEvent): void {
    this.seq += 1;
    switch (event.kind) {
      case 'model.answered':
        if (event.body.kind !== 'summary') this.nextStep();
        return;
      case 'action.observed':
        if (isFailure(event.body)) this.fail();
        return;
      case 'step.taught':
        this.fail();
        return;
      case 'evaluation.ended':
        this.evaluated(event.body);
        return;
      case 'branch.began':
        this.score = event.body.spent.evaluations.last;
        return;
      case 'gpu.changed': {
        const { computer, state, since } = event.body;
        if (state === 'idle') this.idleGpus.set(computer, since);
        else this.idleGpus.delete(computer);
        return;
      }
      default:
        return;
    }
  }

  /** Why the hint's condition holds now, in a few words; null while it does not. `now`: wall clock, ms. */
  cameTrue({ deliver, set }: WaitingHint, now: number): string | null {
    switch (deliver.when) {
      case 'next_step':
      case 'wake':
      case 'session_idle':
        // Seen at the computers (`SessionIdle`), not in the log.
        return null;
      case 'score_changes':
        return this.scoreChanged(set.seq);
      case 'error_streak':
        return this.failedInARow(deliver.steps, set.seq);
      case 'gpu_idle':
        return this.gpuIdle(deliver, set.at, now);
    }
  }

  private nextStep(): void {
    if (!this.failed) this.failures = [];
    this.failed = false;
  }

  /** A step with several failed calls counts once. */
  private fail(): void {
    if (this.failed) return;
    this.failed = true;
    this.failures = [...this.failures, this.seq].slice(-MOST_FAILURES);
  }

  private evaluated({ score, forced }: EventBody<'evaluation.ended'>): void {
    if (score === null || forced) return;
    if (score !== this.score) this.scoreChange = { seq: this.seq, from: this.score, to: score };
    this.score = score;
  }

  private scoreChanged(after: number): string | null {
    const change = this.scoreChange;
    if (change === null || change.seq <= after) return null;
    return change.from === null ? `first score ${change.to}` : `score ${change.from} → ${change.to}`;
  }

  private failedInARow(steps: number, after: number): string | null {
    const row = this.failed ? this.failures.filter((seq) => seq > after).length : 0;
    return row >= steps ? `${row} failed steps in a row` : null;
  }

  /** Idle time before the hint does not count, or a hint queued over an idle machine would not wait at all. */
  private gpuIdle(
    { computer, minutes }: Extract<HintDelivery, { when: 'gpu_idle' }>,
    setAt: number,
    now: number,
  ): string | null {
    for (const [name, since] of this.idleGpus) {
      const idle = Math.floor((now - Math.max(since, setAt)) / 60_000);
      if ((computer === '' || computer === name) && idle >= minutes) {
        return `GPUs of ${name} idle for ${idle} min`;
      }
    }
    return null;
  }
}

function isFailure({ error, data }: EventBody<'action.observed'>): boolean {
  return error !== null || (typeof data.exitCode === 'number' && data.exitCode !== 0);
}
