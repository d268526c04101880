import type { EventBody } from '@shared/log/events';

interface SeenEnd {
  uid: string;
  /** `computer:session`. */
  key: string;
  end: number;
  /** The first step that saw that much. */
  step: number;
}

/** How far each session's output reached when the steps of a run were observed, by the run's own log. */
export class SeenOutput {
  private readonly open = new Map<string, string>();
  private readonly ends = new Map<string, SeenEnd>();
  private readonly names = new Map<string, string>();

  opened({
    computer,
    session,
    uid,
  }: Pick<EventBody<'session.opened'>, 'computer' | 'session' | 'uid'>): void {
    this.open.set(`${computer}:${session}`, uid);
    this.names.set(uid, `${computer}:${session}`);
  }

  /** Sessions that the log does not open are another run's, or a made-up log's. */
  observed({ step, offsets }: Pick<EventBody<'action.observed'>, 'step' | 'offsets'>): void {
    for (const [key, end] of Object.entries(offsets)) {
      const uid = this.open.get(key);
      if (uid !== undefined && end > (this.ends.get(uid)?.end ?? 0)) {
        this.ends.set(uid, { uid, key, end, step });
      }
    }
  }

  /** `computer:session` of a session that the log opens. */
  nameOf(uid: string): string | undefined {
    return this.names.get(uid);
  }

  sessions(): SeenEnd[] {
    return [...this.ends.values()];
  }
}
