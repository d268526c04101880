import type { NewEvent } from '@shared/log/events';
import type { Clock } from '../clock';
import { ComputerUnavailable } from '../computer/failures';
import { type HostComputer, isHost, isUp } from '../computer/hosts';
import type { Computer, SessionInfo } from '../computer/port';
import type { ActionFacts } from './action-facts';
import type { ActionTaskView } from './task-view';

/** How long a computer that an action had nothing to do with may take to tell about its sessions, ms. */
const patienceMs = 2_000;

/** What a comparison with the log found. */
export interface Reconciled {
  events: NewEvent[];
  /** Sessions that were lost, as `name on computer`: nobody closed them and their shells did not exit. */
  lost: string[];
}

/** Compares the sessions there are with those the log knows, and keeps where each of them ended last. */
export class SessionLedger {
  private readonly readTo = new Map<string, number>();

  constructor(
    private readonly task: ActionTaskView,
    private readonly computers: ReadonlyMap<string, Computer>,
    private readonly facts: ActionFacts,
    private readonly clock: Clock,
  ) {
    // Until its computer was asked, a session ends where it ended at the last observation.
    for (const [key, { ended }] of facts.sessions) {
      const last = facts.marks.get(key)?.at(-1)?.[1];
      if (!ended && last !== undefined) this.readTo.set(key, last);
    }
  }

  /**
   * Events for new and ended sessions of every computer. One that no action needs now (`needed`) and that is away
   * is passed over: what is known of it stays as it was. @throws ComputerUnavailable of a needed one
   */
  async reconcile(needed: ReadonlySet<string>): Promise<Reconciled> {
    const found = await Promise.all(
      this.task.computers.map(({ name }) => {
        const computer = this.computers.get(name);
        if (!computer) return nothing();
        return isHost(computer) && !needed.has(name) ? this.ifThere(computer) : this.of(computer);
      }),
    );
    return {
      events: found.flatMap(({ events }) => events),
      lost: found.flatMap(({ lost }) => lost),
    };
  }

  private async ifThere(computer: HostComputer): Promise<Reconciled> {
    if (!isUp(computer)) return nothing();
    const over = new AbortController();
    const late = this.clock.sleep(patienceMs, over.signal).then(nothing, nothing);
    try {
      return await Promise.race([this.of(computer, over.signal), late]);
    } catch (error) {
      if (error instanceof ComputerUnavailable) return nothing();
      throw error;
    } finally {
      over.abort(new Error('Nobody waits for the sessions of this computer any more.'));
    }
  }

  /** With `over` aborted nothing is noted any more: another comparison may have begun. */
  private async of(computer: Computer, over?: AbortSignal): Promise<Reconciled> {
    const infos = await computer.sessions.list();
    const exits = await Promise.all(infos.map((info) => this.exitOf(computer, info)));
    if (over?.aborted) return nothing();
    const events: NewEvent[] = [];
    const lost: string[] = [];
    const seen = new Set<string>();
    for (const [i, info] of infos.entries()) {
      const key = `${computer.name}:${info.name}`;
      seen.add(key);
      this.readTo.set(key, info.endOffset);
      const known = this.facts.sessions.get(key);
      if (known && known.uid !== info.id && !known.ended) {
        events.push(ended(computer.name, info.name, known.uid, null, 0));
      }
      if (known?.uid !== info.id) {
        const { rows, cols } = this.task.terminal;
        events.push({
          kind: 'session.opened',
          body: { computer: computer.name, session: info.name, uid: info.id, rows, cols },
        });
      }
      const exit = exits[i];
      if (exit) {
        events.push(
          ended(computer.name, info.name, info.id, exit.exitCode ?? null, info.endOffset, exit.lost),
        );
        if (exit.lost) lost.push(`${info.name} on ${computer.name}`);
      }
    }
    events.push(...this.vanished(computer.name, seen));
    return { events, lost };
  }

  /** How a session that the log takes for alive came to its end; undefined while it lives. */
  private async exitOf(computer: Computer, info: SessionInfo) {
    const known = this.facts.sessions.get(`${computer.name}:${info.name}`);
    if (info.alive || (known?.uid === info.id && known.ended)) return undefined;
    const { state, exitCode } = await computer.sessions.state(info.name);
    return { exitCode, lost: state === 'lost' };
  }

  private vanished(computer: string, seen: ReadonlySet<string>): NewEvent[] {
    const events: NewEvent[] = [];
    for (const [key, known] of this.facts.sessions) {
      if (!key.startsWith(`${computer}:`) || seen.has(key)) continue;
      if (!known.ended) {
        const offset = this.readTo.get(key) ?? 0;
        events.push(ended(computer, key.slice(computer.length + 1), known.uid, null, offset));
      }
      this.readTo.delete(key);
    }
    return events;
  }

  /** Closes a session; its end is an event. */
  async close(computer: Computer, info: SessionInfo): Promise<NewEvent[]> {
    const { id, exitCode, endOffset } = await computer.sessions.close(info.name);
    const key = `${computer.name}:${info.name}`;
    this.readTo.delete(key);
    const known = this.facts.sessions.get(key);
    if (known?.uid !== id || known.ended) return [];
    return [ended(computer.name, info.name, id, exitCode, endOffset)];
  }

  /** End offset of every session, keyed `computer:session`, as last known. */
  offsets(): Record<string, number> {
    return Object.fromEntries(this.readTo);
  }
}

const nothing = (): Reconciled => ({ events: [], lost: [] });

function ended(
  computer: string,
  session: string,
  uid: string,
  exitCode: number | null,
  endOffset: number,
  lost = false,
): NewEvent {
  return {
    kind: 'session.ended',
    body: { computer, session, uid, exitCode, endOffset, ...(lost ? { lost } : {}) },
  };
}
