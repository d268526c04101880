import type { TerminalPage } from '@shared/contract/ipc/terminals';
import type { TerminalFilter } from '@shared/terminal/terminal-filter';
import type { StoreReader } from '../store/api';
import type { StoreNotice } from '../store/notices';
import type { Publisher } from './publish';
import { frameBytes, maxBehind, renderSlice, TerminalScreen } from './terminal-screen';

/** Pages whose reader may go on where they ended, with the filter's state. */
const maxPages = 32;
/** How often growth of sessions is told, ms. */
const growthMs = 500;

interface Watched {
  run: string;
  uid: string;
  /** Null until the window has read its first page. */
  screen: TerminalScreen | null;
  /** Length of the log as far as it is known. */
  end: number;
  live: number;
  busy: boolean;
  /** Why nothing more comes; told with the next word from the window. */
  failure: unknown;
}

export interface ReadOrder {
  run: string;
  uid: string;
  offset: number;
  maxBytes: number;
  /** The window's number for the view that begins with this page. */
  live?: number | undefined;
}

/**
 * Feeds sessions of a run to the window: durable bytes only, each through the view filter, whose state is kept from page to
 * page and frame to frame. A few frames per session are under way at a time, and each session has its own, so that a flood in
 * one slows neither another nor the window.
 */
export class TerminalPump {
  private readonly publisher: Publisher;
  private readonly watched = new Map<string, Watched>();
  private readonly pages = new Map<string, TerminalFilter>();
  private readonly grown = new Map<string, { endOffset: number; lastByteAt: number }>();
  private run: string | null = null;
  private telling: NodeJS.Timeout | undefined;
  private reader: StoreReader | null = null;

  constructor(publisher: Publisher) {
    this.publisher = publisher;
  }

  attach(reader: StoreReader | null): void {
    this.reader = reader;
    this.watched.clear();
    this.pages.clear();
    this.grown.clear();
    clearTimeout(this.telling);
    this.telling = undefined;
  }

  /** A page for the window. A page that begins where another ended goes on with its filter. */
  async read({ run, uid, offset, maxBytes, live }: ReadOrder): Promise<TerminalPage> {
    const chunk = await this.need().readSession(run, uid, offset, maxBytes);
    const end = chunk.offset + chunk.bytes.length;
    const going = this.pages.get(pageKey(run, uid, chunk.offset));
    const page = going
      ? { filter: going, bytes: going.write(chunk.bytes) }
      : renderSlice(chunk.bytes, chunk.offset, {});
    this.pages.delete(pageKey(run, uid, chunk.offset));
    const watched = live === undefined ? undefined : this.watched.get(key(run, uid));
    if (watched && live !== undefined) {
      watched.live = live;
      watched.screen = new TerminalScreen(end, page.filter);
      watched.failure = null;
      watched.end = Math.max(watched.end, chunk.endOffset);
      // The answer goes first: frames that overtake it are held by the window, but need not be.
      setImmediate(() => void this.pump(watched));
    } else this.keepPage(pageKey(run, uid, end), page.filter);
    return { offset: chunk.offset, endOffset: end, bytes: page.bytes };
  }

  private keepPage(name: string, filter: TerminalFilter): void {
    this.pages.set(name, filter);
    for (const oldest of this.pages.keys()) {
      if (this.pages.size <= maxPages) break;
      this.pages.delete(oldest);
    }
  }

  /** Replaces the set of sessions the window looks at; of all sessions of `run` it hears when they grow. */
  async watch(run: string, uids: readonly string[]): Promise<void> {
    this.run = run;
    for (const [name, watched] of this.watched) {
      if (watched.run !== run || !uids.includes(watched.uid)) this.watched.delete(name);
    }
    for (const uid of uids) {
      if (this.watched.has(key(run, uid))) continue;
      this.watched.set(key(run, uid), {
        run,
        uid,
        screen: null,
        end: 0,
        live: 0,
        busy: false,
        failure: null,
      });
    }
  }

  /** The window has parsed everything before `offset`. */
  async seen(run: string, uid: string, offset: number): Promise<void> {
    const watched = this.watched.get(key(run, uid));
    if (!watched) return;
    if (watched.failure !== null) throw watched.failure;
    watched.screen?.seen(offset);
    void this.pump(watched);
  }

  notice(notice: StoreNotice): void {
    if (notice.kind !== 'session') return;
    if (notice.run === this.run) {
      this.grown.set(notice.uid, { endOffset: notice.endOffset, lastByteAt: Date.now() });
      this.telling ??= setTimeout(() => this.tellGrowth(), growthMs);
    }
    const watched = this.watched.get(key(notice.run, notice.uid));
    if (!watched) return;
    watched.end = Math.max(watched.end, notice.endOffset);
    void this.pump(watched);
  }

  private tellGrowth(): void {
    this.telling = undefined;
    if (this.run === null || this.grown.size === 0) return;
    const sessions = [...this.grown].map(([uid, grown]) => ({ uid, ...grown }));
    this.grown.clear();
    this.publisher.publish('session.grew', { run: this.run, sessions });
  }

  private async pump(watched: Watched): Promise<void> {
    if (watched.busy || watched.failure !== null) return;
    watched.busy = true;
    try {
      while (this.watched.get(key(watched.run, watched.uid)) === watched) {
        const { screen, run, uid } = watched;
        if (screen === null || screen.at >= watched.end || !screen.room) break;
        if (watched.end - screen.at > maxBehind) screen.skipTo(watched.end - frameBytes);
        const chunk = await this.need().readSession(run, uid, screen.at, frameBytes);
        // The window may have begun anew meanwhile.
        if (watched.screen !== screen) continue;
        if (chunk.bytes.length === 0) break;
        // Bytes that were lost on the host.
        if (chunk.offset > screen.at) screen.skipTo(chunk.offset);
        this.publisher.publish('live.session', {
          run,
          uid,
          live: watched.live,
          ...screen.frame(chunk.bytes),
        });
      }
    } catch (thrown) {
      // Nobody awaits the pump; the window hears of it when it says what it has taken, or reads again.
      watched.failure = thrown;
    } finally {
      watched.busy = false;
    }
  }

  private need(): StoreReader {
    if (!this.reader) throw new Error('The terminal pump has no workspace.');
    return this.reader;
  }
}

function key(run: string, uid: string): string {
  return `${run}/${uid}`;
}

function pageKey(run: string, uid: string, offset: number): string {
  return `${run}/${uid}/${offset}`;
}
