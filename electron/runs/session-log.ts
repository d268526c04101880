import { setMaxListeners } from 'node:events';
import { WaymarkError } from '@shared/errors';
import type { NewEvent } from '@shared/events';
import { type BackDeps, untilBack } from '../agent/until-back';
import { ComputerUnavailable, SessionError } from '../computer/failures';
import type { Computer, SessionChunk } from '../computer/port';
import type { Store } from '../store/api';
import { within } from './within';

/** How long the end of a drive waits for the last bytes of each session, ms. */
const DRAIN_MS = 3_000;
/** How long the questions that are under way at the end are waited for, ms. */
const STOP_MS = 3_000;
/** Bytes stored here after which a host is told that it may give their room back. */
const TELL_BYTES = 64 * 1024 * 1024;
/** The same once a command has ended: what it printed will not be asked for soon. */
const TELL_AT_END_BYTES = 1024 * 1024;

export interface SessionLogOptions {
  store: Pick<Store, 'writer'>;
  run: string;
  computers: ReadonlyMap<string, Computer>;
  /** Writes down bytes that were dropped on their host before they could be fetched. */
  record(events: NewEvent[]): Promise<void>;
  back: BackDeps;
  /** A session's bytes can no longer be followed; everything so far is stored. */
  failed(session: string, error: unknown): void;
}

interface Followed {
  computer: Computer;
  name: string;
  uid: string;
  /** The first byte that is not stored yet. */
  offset: number;
  /** What the host knows to be stored. */
  told: number;
  moved: Set<() => void>;
  over: boolean;
  done: Promise<void>;
}

/**
 * Follows every session of a run and stores its raw bytes, each once and in order. The stored offset is where a
 * resumed run, and a link that came back, go on; sessions outlive both, so nothing is missing then. Bytes that a host
 * had to drop meanwhile are named in the log and passed over.
 */
export class SessionLog {
  private readonly followed = new Map<string, Followed>();
  private readonly stopping = new AbortController();

  constructor(private readonly options: SessionLogOptions) {
    // Every session that is followed listens; that many are no leak.
    setMaxListeners(0, this.stopping.signal);
  }

  /** Register with the recorder: a session that was opened is followed from its first byte. */
  applyEvent(event: NewEvent): void {
    if (event.kind === 'session.opened') {
      this.follow(event.body.computer, event.body.session, event.body.uid, 0);
    }
    if (event.kind === 'action.observed' && typeof event.body.data.exitCode === 'number') {
      const entry = this.followed.get(String(event.body.data.sessionId));
      if (entry !== undefined) this.tell(entry, TELL_AT_END_BYTES);
    }
  }

  /** `offset`: the first byte that is not stored yet. */
  follow(computer: string, name: string, uid: string, offset: number): void {
    const there = this.options.computers.get(computer);
    if (there === undefined || this.followed.has(uid) || this.stopping.signal.aborted) {
      return;
    }
    const entry: Followed = {
      ...{ computer: there, name, uid, offset, told: 0 },
      ...{ moved: new Set(), over: false, done: Promise.resolve() },
    };
    this.followed.set(uid, entry);
    entry.done = this.keepFollowing(entry);
  }

  /** Resolves once what the sessions have printed by now is stored, or after three seconds. */
  async drain(): Promise<void> {
    const late = this.options.back.clock.sleep(DRAIN_MS, this.stopping.signal).catch(() => undefined);
    await Promise.race([late, Promise.all([...this.followed.values()].map((entry) => caughtUp(entry)))]);
  }

  /** A question to a host that does not answer any more is not waited for; what it would say is passed over. */
  async stop(): Promise<void> {
    this.stopping.abort(new Error('The run is no longer driven here.'));
    await within(STOP_MS, Promise.all([...this.followed.values()].map(({ done }) => done)));
  }

  private async keepFollowing(entry: Followed): Promise<void> {
    const { signal } = this.stopping;
    for (let failures = 0; !signal.aborted; ) {
      const before = entry.offset;
      try {
        await this.followOnce(entry);
        break;
      } catch (error) {
        if (!passing(error)) {
          if (!signal.aborted && !gone(error)) this.options.failed(entry.name, error);
          break;
        }
        failures = entry.offset > before ? 1 : failures + 1;
        await untilBack(this.options.back, error, failures, signal).catch(() => undefined);
      }
    }
    entry.over = true;
    notify(entry);
  }

  /** @throws SessionError session_not_found when the name belongs to another life by now */
  private async followOnce(entry: Followed): Promise<void> {
    const { name, uid, computer } = entry;
    const info = await computer.sessions.find(name);
    if (info?.id !== uid) {
      throw new SessionError('session_not_found', name, `Session "${name}" is not there any more.`);
    }
    if (info.endOffset < entry.offset) {
      throw new WaymarkError(
        'conflict',
        `Session ${name} on ${computer.name} holds ${info.endOffset} bytes, but ${entry.offset} are stored here: its log on the host was cut. What is stored stays; nothing more is taken from it.`,
      );
    }
    const { signal } = this.stopping;
    await computer.sessions.follow(
      name,
      entry.offset,
      (chunk) => this.take(entry, chunk),
      signal,
      (gap) => this.passOver(entry, gap),
    );
  }

  private async take(entry: Followed, { offset, bytes, receivedAt, hostAt }: SessionChunk): Promise<void> {
    const { store, run } = this.options;
    await store.writer.sessionBytes(run, entry.uid, {
      offset,
      bytes: bytes.slice(),
      receivedAt: Math.round(receivedAt),
      hostAt: Math.round(hostAt),
    });
    entry.offset = offset + bytes.length;
    notify(entry);
    this.tell(entry, TELL_BYTES);
  }

  private async passOver(entry: Followed, { from, to }: { from: number; to: number }): Promise<void> {
    const { name, uid, computer } = entry;
    const body = { computer: computer.name, session: name, uid, from, to, reason: 'limit' as const };
    await this.options.record([{ kind: 'session.gap', body }]);
    entry.offset = to;
    notify(entry);
  }

  /** The host may give room back. It keeps what it needs; when it cannot be told now it is told later. */
  private tell(entry: Followed, every: number): void {
    const upTo = entry.offset;
    if (upTo - entry.told < every) return;
    const before = entry.told;
    entry.told = upTo;
    entry.computer.sessions.stored(entry.name, upTo).catch((error: unknown) => {
      entry.told = Math.min(entry.told, before);
      if (!passing(error) && !gone(error)) this.options.failed(entry.name, error);
    });
  }
}

/** The link or the disk will be back; everything else about a session is final. */
function passing(error: unknown): boolean {
  return (
    error instanceof ComputerUnavailable || (error instanceof WaymarkError && error.code === 'disk_full')
  );
}

/** Sessions are closed while they are followed: that is how they end. */
const gone = (error: unknown) => error instanceof SessionError;

function notify(entry: Followed): void {
  for (const listener of [...entry.moved]) {
    listener();
  }
}

async function caughtUp(entry: Followed): Promise<void> {
  const end = await entry.computer.sessions.state(entry.name).then(
    ({ endOffset }) => endOffset,
    // A session that was closed is followed to its end; a computer that is away is not waited for.
    (error: unknown) => (gone(error) ? Number.POSITIVE_INFINITY : 0),
  );
  await new Promise<void>((resolve) => {
    const check = () => {
      if (entry.over || entry.offset >= end) {
        entry.moved.delete(check);
        resolve();
      }
    };
    entry.moved.add(check);
    check();
  });
}
