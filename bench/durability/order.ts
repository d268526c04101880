import type { RunEvent } from '@shared/log/events';
import type { StoreReader } from '../../electron/store/api';

const PAGE = 2_000;

/** What stands twice, is missing between two neighbours, or stands in another order than it was queued or begun. */
export async function disorder(reader: StoreReader): Promise<string[]> {
  const found: string[] = [];
  for (const { id } of await reader.runs()) {
    const check = new RunOrder();
    for (let next = 1; ; ) {
      const events = await reader.events(id, next, PAGE);
      for (const event of events) check.apply(event);
      const last = events.at(-1);
      if (last === undefined) break;
      next = last.seq + 1;
    }
    const queued = (await reader.outbox(id, 0)).flatMap(({ body }) =>
      body.op === 'hint.queued' ? [body.hint] : [],
    );
    found.push(...check.end(queued).map((what) => `run ${id}: ${what}`));
  }
  return found;
}

class RunOrder {
  private readonly problems: string[] = [];
  private readonly observed = new Set<string>();
  private readonly delivered: string[] = [];
  private seq = 0;
  private step = 0;

  apply(event: RunEvent): void {
    if (event.seq !== this.seq + 1) this.problems.push(`event ${event.seq} follows ${this.seq}`);
    this.seq = event.seq;
    if (event.kind === 'model.answered') {
      if (event.body.step !== this.step + 1) {
        this.problems.push(`step ${event.body.step} was answered after ${this.step}`);
      }
      this.step = event.body.step;
    } else if (event.kind === 'action.observed') {
      const call = `${event.body.step}.${event.body.call}`;
      if (this.observed.has(call)) this.problems.push(`call ${call} has two observations`);
      this.observed.add(call);
    } else if (event.kind === 'hint.delivered') {
      this.delivered.push(...event.body.hints.map(({ id }) => id));
    }
  }

  end(queued: readonly string[]): string[] {
    const once = new Set(this.delivered);
    if (once.size !== this.delivered.length) this.problems.push('a hint was delivered twice');
    const order = queued.filter((hint) => once.has(hint));
    if (order.join() !== this.delivered.join()) {
      this.problems.push('hints were delivered in another order than they were queued');
    }
    return this.problems;
  }
}
