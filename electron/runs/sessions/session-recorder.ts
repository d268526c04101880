import { setMaxListeners } from 'node:events';
import { WaymarkError } from '@shared/contract/errors';
import type { NewEvent } from '@shared/log/events';
import { type BackDeps, untilBack } from '../../agent/until-back';
import { within } from '../../clock';
import { ComputerUnavailable, SessionError } from '../../computer/failures';
import type { Computer, SessionChunk } from '../../computer/port';
import type { Store } from '../../store/api';
import { isPassing } from '../drive/recorder';

/** How long the end of a drive waits for the last bytes of each session, ms. */
const DRAIN_MS = 3_000;
/** How long the questions that are under way at the end are waited for, ms. */
const STOP_MS = 3_000;
/** Bytes stored here after which a host is told that it may give their room back. */
const TELL_BYTES = 64 * 1024 * 1024;
/** The same once a command has ended: what it printed will not be asked for soon. */
const TELL_AT_END_BYTES = 1024 * 1024;

export interface SessionRecorderOptions {
  store: Pick<Store, 'writer' | 'reader'>;
  run: string;
  /** Of the driver that follows: once another one has taken the run up, nothing more is stored. */
  epoch: number;
  computers: ReadonlyMap<string, Computer>;
  /** Writes down bytes that were dropped on their host before they could be fetched. */
  record(events: NewEvent[]): Promise<void>;
  back: BackDeps;
  /** Something went wrong that loses no byte. */
  failed(session: string, error: unknown): void;
}

/** A number of bytes behind any that a session can have. */
const BEHIND_ALL = Number.MAX_SAFE_INTEGER;

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
 * had to drop meanwhile are named in the log and passed over. A session that cannot be followed any more is named there too.
 */
export class SessionRecorder {
  private readonly followed = new Map<string, Followed>();
  private readonly stopping = new AbortController();
  /** Bytes and gaps that the store has and has not answered for. */
  private readonly writing = new Set<Promise<unknown>>();

  constructor(private readonly options: SessionRecorderOptions) {
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
      computer: there,
      name,
      uid,
      offset,
      told: 0,
      moved: new Set(),
      over: false,
      done: Promise.resolve(),
    };
    this.followed.set(uid, entry);
    entry.done = this.keepFollowing(entry);
  }

  /** Resolves once what the sessions have printed by now is stored, or after three seconds. */
  async drain(): Promise<void> {
    const late = this.options.back.clock.sleep(DRAIN_MS, this.stopping.signal).catch(() => undefined);
    await Promise.race([late, Promise.all([...this.followed.values()].map((entry) => caughtUp(entry)))]);
  }

  /**
   * A question to a host that does not answer any more is not waited for, and what it would say is passed over. What the
   * store was given is waited for: the next driver begins where the stored bytes end.
   */
  async stop(): Promise<void> {
    this.stopping.abort(new Error('The run is no longer driven here.'));
    await within(STOP_MS, Promise.all([...this.followed.values()].map(({ done }) => done)));
    await Promise.allSettled(this.writing);
  }

  private async keepFollowing(entry: Followed): Promise<void> {
    const { signal } = this.stopping;
    for (let failures = 0; !signal.aborted; ) {
      const before = entry.offset;
      try {
        await this.followOnce(entry);
        break;
      } catch (error) {
        if (signal.aborted || gone(error)) break;
        if (replaced(error)) {
          // Another process follows from where the stored bytes end, and nothing of this driver is wanted any more.
          this.stopping.abort(error);
          break;
        }
        const why = passing(error) ? null : await this.obstacle(entry, error);
        if (why !== null) {
          await this.giveUp(entry, why);
          break;
        }
        failures = entry.offset > before ? 1 : failures + 1;
        await untilBack(this.options.back, error, failures, signal).catch(() => undefined);
      }
    }
    entry.over = true;
    notify(entry);
  }

  /** Null when the stored bytes only end elsewhere than was thought here: then it is followed from there. */
  private async obstacle(entry: Followed, error: unknown): Promise<unknown> {
    if (!(error instanceof WaymarkError && error.code === 'conflict')) return error;
    const { store, run } = this.options;
    try {
      const { endOffset } = await store.reader.readSession(run, entry.uid, BEHIND_ALL, 0);
      if (endOffset === entry.offset) return error;
      entry.offset = endOffset;
      return null;
    } catch (unread) {
      return unread;
    }
  }

  /** Nobody follows the session until the run is taken up again; its log says so, where people see it. */
  private async giveUp(entry: Followed, error: unknown): Promise<void> {
    const { name: session, uid, computer, offset } = entry;
    this.options.failed(session, error);
    const message = error instanceof Error ? error.message : String(error);
    const body = { computer: computer.name, session, uid, offset, message };
    await this.options.record([{ kind: 'session.unfollowed', body }]).catch((unsaid: unknown) => {
      this.options.failed(session, unsaid);
    });
  }

  /** @throws SessionError session_not_found when the name belongs to another life by now */
  private async followOnce(entry: Followed): Promise<void> {
    const { name, uid, computer } = entry;
    const info = await computer.sessions.find(name);
    if (info?.id !== uid) {
      throw new SessionError('session_not_found', name, `Session "${name}" no longer exists.`);
    }
    if (info.endOffset < entry.offset) {
      throw new WaymarkError(
        'conflict',
        `Session ${name} on ${computer.name} holds ${info.endOffset} bytes, but ${entry.offset} are stored here: its log on the host was cut. What is stored stays; nothing more is read from it.`,
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
    const { store, run, epoch } = this.options;
    const chunk = {
      offset,
      bytes: bytes.slice(),
      receivedAt: Math.round(receivedAt),
      hostAt: Math.round(hostAt),
    };
    await this.write(() => store.writer.sessionBytes(run, epoch, entry.uid, chunk));
    entry.offset = offset + bytes.length;
    notify(entry);
    this.tell(entry, TELL_BYTES);
  }

  private async passOver(entry: Followed, { from, to }: { from: number; to: number }): Promise<void> {
    const { name, uid, computer } = entry;
    const body = { computer: computer.name, session: name, uid, from, to, reason: 'limit' as const };
    await this.write(() => this.options.record([{ kind: 'session.gap', body }]));
    entry.offset = to;
    notify(entry);
  }

  /** What a host says after the end is not stored any more: the run may be another driver's by then. */
  private async write(work: () => Promise<void>): Promise<void> {
    this.stopping.signal.throwIfAborted();
    const writing = work();
    this.writing.add(writing);
    try {
      await writing;
    } finally {
      this.writing.delete(writing);
    }
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

/** The link will be back, or what keeps the store from writing goes away. */
function passing(error: unknown): boolean {
  return error instanceof ComputerUnavailable || isPassing(error);
}

const replaced = (error: unknown) => error instanceof WaymarkError && error.code === 'run_driven_elsewhere';

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
