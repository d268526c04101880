import { WaymarkError } from '@shared/errors';
import type { NewEvent } from '@shared/events';
import type { Clock } from '../clock';
import { ComputerUnavailable, SessionError } from '../computer/failures';
import type { Computer, SessionHost } from '../computer/port';
import type { Store } from '../store/api';

const AWAY_RETRY_MS = 1_000;
/** How long the end of a drive waits for the last bytes of each session, ms. */
const DRAIN_MS = 3_000;

export interface SessionLogOptions {
  store: Pick<Store, 'writer'>;
  run: string;
  computers: ReadonlyMap<string, Computer>;
  clock: Clock;
  /** A session's bytes can no longer be followed; everything so far is stored. */
  failed(session: string, error: unknown): void;
}

interface Followed {
  host: SessionHost;
  name: string;
  offset: number;
  moved: Set<() => void>;
  over: boolean;
  done: Promise<void>;
}

/**
 * Follows every session of a run and stores its raw bytes, each once and in order. The stored offset is where a
 * resumed run goes on; sessions outlive the application, so nothing is missing then.
 */
export class SessionLog {
  private readonly followed = new Map<string, Followed>();
  private readonly stopping = new AbortController();

  constructor(private readonly options: SessionLogOptions) {}

  /** Register with the recorder: a session that was opened is followed from its first byte. */
  applyEvent(event: NewEvent): void {
    if (event.kind === 'session.opened') {
      this.follow(event.body.computer, event.body.session, event.body.uid, 0);
    }
  }

  /** `offset`: the first byte that is not stored yet. */
  follow(computer: string, name: string, uid: string, offset: number): void {
    const host = this.options.computers.get(computer)?.sessions;
    if (host === undefined || this.followed.has(uid) || this.stopping.signal.aborted) {
      return;
    }
    const entry: Followed = { host, name, offset, moved: new Set(), over: false, done: Promise.resolve() };
    this.followed.set(uid, entry);
    entry.done = this.keepFollowing(uid, entry);
  }

  /** Resolves once what the sessions have printed by now is stored, or after three seconds. */
  async drain(): Promise<void> {
    const late = this.options.clock.sleep(DRAIN_MS, this.stopping.signal).catch(() => undefined);
    await Promise.race([late, Promise.all([...this.followed.values()].map((entry) => caughtUp(entry)))]);
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error('The run is no longer driven here.'));
    await Promise.all([...this.followed.values()].map(({ done }) => done));
  }

  private async keepFollowing(uid: string, entry: Followed): Promise<void> {
    const { store, run, clock } = this.options;
    const { signal } = this.stopping;
    const { writer } = store;
    while (!signal.aborted) {
      try {
        await entry.host.follow(
          entry.name,
          entry.offset,
          async ({ offset, bytes, receivedAt, hostAt }) => {
            const whole = Math.round(hostAt);
            await writer.sessionBytes(run, uid, {
              offset,
              bytes: bytes.slice(),
              receivedAt: Math.round(receivedAt),
              hostAt: whole,
            });
            entry.offset = offset + bytes.length;
            notify(entry);
          },
          signal,
        );
        break;
      } catch (error) {
        if (!passing(error)) {
          if (!(error instanceof SessionError)) {
            this.options.failed(entry.name, error);
          }
          break;
        }
        await clock.sleep(AWAY_RETRY_MS, signal).catch(() => undefined);
      }
    }
    entry.over = true;
    notify(entry);
  }
}

/** The link or the disk will be back; everything else about a session is final. */
function passing(error: unknown): boolean {
  return (
    error instanceof ComputerUnavailable || (error instanceof WaymarkError && error.code === 'disk_full')
  );
}

function notify(entry: Followed): void {
  for (const listener of [...entry.moved]) {
    listener();
  }
}

async function caughtUp(entry: Followed): Promise<void> {
  const end = await entry.host.state(entry.name).then(
    ({ endOffset }) => endOffset,
    () => 0,
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
