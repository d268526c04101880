import { WaymarkError } from '@shared/contract/errors';
import { type Statements, seqOf } from '../file/rows';
import { isRemoved } from './removed-run';
import { nextSteps } from './unreadable-run';

/** Watches that the events of a run come one after the other: a log with a gap is as damaged as one with an event nobody can parse. */
export class EventOrder {
  constructor(
    private readonly statements: Statements,
    private readonly run: { id: number; ulid: string },
    /** The number of the event that comes next. */
    private next = 1,
  ) {}

  /** @throws WaymarkError workspace_corrupt */
  take(row: { id: number }): void {
    const seq = seqOf(row.id);
    if (seq > this.next) {
      this.gap(seq - 1);
      this.next = seq;
    }
    if (seq < this.next) {
      // Whoever asks for the next page would be led in a circle.
      throw new WaymarkError(
        'workspace_corrupt',
        `The events of run ${this.run.ulid} are out of order after ${this.next - 1}. ${nextSteps}`,
      );
    }
    this.next += 1;
  }

  /** After the last row there is: `head` is the last event that was stored. @throws WaymarkError as `take` */
  end(head: number): void {
    if (this.next <= head) {
      this.gap(head);
    }
  }

  /** A removal deletes events in several transactions before the head goes: no damage. */
  private gap(last: number): void {
    const { id, ulid } = this.run;
    if (isRemoved(this.statements, id)) return;
    const what =
      last === this.next
        ? `Event ${last} of run ${ulid} is missing.`
        : `Events ${this.next} to ${last} of run ${ulid} are missing.`;
    throw new WaymarkError('workspace_corrupt', `${what} ${nextSteps}`);
  }
}
