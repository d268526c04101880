import type { NewEvent } from '@shared/log/events';
import { type BackDeps, untilBack } from '../../agent/until-back';
import { within } from '../../clock';
import { ComputerUnavailable, SessionError } from '../../computer/failures';
import { isHost } from '../../computer/hosts';
import type { CommandRecord, Computer } from '../../computer/port';

/** How long a host that does not answer any more is waited for at the end, ms. */
const STOP_MS = 3_000;

export interface CommandTimeDeps {
  computers: ReadonlyMap<string, Computer>;
  back: BackDeps;
  record(events: NewEvent[]): Promise<void>;
  failed(error: unknown): void;
}

/**
 * Time in which commands of the run went on while no driver worked (the run rested, or waited for a host or a human),
 * by the stamps in the hosts' logs (semantics, Time, b). What a host that is away has to tell is written down when it
 * is back.
 */
export class CommandTime {
  private readonly stopping = new AbortController();
  private readonly later = new Set<Promise<void>>();
  private waitingSince: number | null = null;

  constructor(private readonly deps: CommandTimeDeps) {}

  /** Register with the recorder: a run that goes on after it waited. `at`: wall clock, ms. */
  applyEvent(event: NewEvent, at: number): void {
    if (event.kind !== 'run.status') return;
    const { status } = event.body;
    if (status === 'waiting_host' || status === 'waiting_human') {
      this.waitingSince ??= at;
      return;
    }
    const since = this.waitingSince;
    this.waitingSince = null;
    if (status === 'running' && since !== null) this.inBackground(this.write(since, at));
  }

  /** Events for the time from `from` to `to`, wall clock ms; those of hosts that are away follow. */
  async between(from: number, to: number): Promise<NewEvent[]> {
    const found = await Promise.all(
      [...this.deps.computers.values()].map(async (computer) => {
        try {
          return await commandsOn(computer, from, to);
        } catch (error) {
          if (!(error instanceof ComputerUnavailable)) throw error;
          this.inBackground(this.whenBack(computer, error, from, to));
          return [];
        }
      }),
    );
    return found.flat();
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error('The run is no longer driven here.'));
    await within(STOP_MS, Promise.all(this.later));
  }

  private async write(from: number, to: number): Promise<void> {
    const events = await this.between(from, to);
    if (events.length > 0) await this.deps.record(events);
  }

  private async whenBack(computer: Computer, cause: unknown, from: number, to: number): Promise<void> {
    const { signal } = this.stopping;
    for (let failures = 1, error = cause; ; failures += 1) {
      await untilBack(this.deps.back, error, failures, signal);
      try {
        const events = await commandsOn(computer, from, to);
        if (events.length > 0) await this.deps.record(events);
        return;
      } catch (thrown) {
        if (!(thrown instanceof ComputerUnavailable)) throw thrown;
        error = thrown;
      }
    }
  }

  private inBackground(work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => {
        if (!this.stopping.signal.aborted) this.deps.failed(error);
      })
      .finally(() => this.later.delete(done));
    this.later.add(done);
  }
}

/** All sessions there are the run's, also one whose opening no observation has told of yet. */
async function commandsOn(computer: Computer, from: number, to: number): Promise<NewEvent[]> {
  const sessions = await computer.sessions.list();
  if (sessions.length === 0) return [];
  const offset = isHost(computer) ? (await computer.probe()).clockOffsetMs : 0;
  const events: NewEvent[] = [];
  for (const { name: session } of sessions) {
    for (const { startedAt, endedAt } of await commandsOf(computer, session)) {
      const start = Math.round(Math.max(from, startedAt - offset));
      const end = Math.round(Math.min(to, endedAt === undefined ? to : endedAt - offset));
      if (end > start) {
        const body = { computer: computer.name, session, from: start, to: end };
        events.push({ kind: 'command.ran', body });
      }
    }
  }
  return events;
}

/** A session that is gone has no stamps to tell. */
async function commandsOf(computer: Computer, session: string): Promise<CommandRecord[]> {
  try {
    return await computer.sessions.commands(session);
  } catch (error) {
    if (error instanceof SessionError) return [];
    throw error;
  }
}
