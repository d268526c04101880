import { TerminalFilter } from '@shared/terminal/terminal-filter';
import type { StoreNotice, StoreReader } from '../store/api';
import type { Publisher } from './publish';

const frameBytes = 256 * 1024;
/** Beyond this the screen skips to the end; the byte log keeps everything. */
const maxBehind = 4 * 1024 * 1024;

interface Watched {
  run: string;
  uid: string;
  /** Raw offset up to which bytes went through the filter. */
  at: number;
  filter: TerminalFilter;
  end: number;
  busy: boolean;
}

/**
 * Feeds watched sessions to the window: durable bytes only, each through the view filter (its state is kept
 * across frames, so a sequence cut in two is still seen whole). One frame per session is under way at a time.
 */
export class TerminalPump {
  readonly #publisher: Publisher;
  readonly #watched = new Map<string, Watched>();
  #reader: StoreReader | null = null;

  constructor(publisher: Publisher) {
    this.#publisher = publisher;
  }

  attach(reader: StoreReader | null): void {
    this.#reader = reader;
    this.#watched.clear();
  }

  /** A read for the window: starts (or restarts) the view at `offset` and leaves the filter at its end. */
  async read(run: string, uid: string, offset: number, maxBytes: number) {
    const { reader } = this.#need();
    const chunk = await reader.readSession(run, uid, offset, maxBytes);
    const watched = this.#watched.get(key(run, uid));
    const filter = watched && watched.at === chunk.offset ? watched.filter : new TerminalFilter();
    const bytes = filter.write(chunk.bytes);
    const end = chunk.offset + chunk.bytes.length;
    if (watched) Object.assign(watched, { at: end, filter, end: Math.max(watched.end, chunk.endOffset) });
    if (watched) void this.#pump(watched);
    return { offset: chunk.offset, endOffset: end, bytes };
  }

  /** Replaces the set of sessions of `run` the window looks at. */
  async watch(run: string, uids: readonly string[]): Promise<void> {
    for (const [name, watched] of this.#watched) {
      if (watched.run !== run || !uids.includes(watched.uid)) this.#watched.delete(name);
    }
    for (const uid of uids) {
      if (this.#watched.has(key(run, uid))) continue;
      // Nothing is sent before the window has read: `at` is set by that read.
      this.#watched.set(key(run, uid), {
        run,
        uid,
        at: -1,
        filter: new TerminalFilter(),
        end: 0,
        busy: false,
      });
    }
  }

  notice(notice: StoreNotice): void {
    if (notice.kind !== 'session') return;
    const watched = this.#watched.get(key(notice.run, notice.uid));
    if (!watched) return;
    watched.end = Math.max(watched.end, notice.endOffset);
    void this.#pump(watched);
  }

  async #pump(watched: Watched): Promise<void> {
    if (watched.busy || watched.at < 0 || watched.at >= watched.end) return;
    watched.busy = true;
    try {
      while (watched.at < watched.end && this.#watched.get(key(watched.run, watched.uid)) === watched) {
        if (watched.end - watched.at > maxBehind) {
          watched.at = watched.end - frameBytes;
          watched.filter = new TerminalFilter();
        }
        const { reader } = this.#need();
        const chunk = await reader.readSession(watched.run, watched.uid, watched.at, frameBytes);
        if (chunk.bytes.length === 0 || chunk.offset !== watched.at) break;
        const bytes = watched.filter.write(chunk.bytes);
        watched.at = chunk.offset + chunk.bytes.length;
        this.#publisher.publish('live.session', {
          run: watched.run,
          uid: watched.uid,
          offset: chunk.offset,
          endOffset: watched.at,
          bytes,
        });
      }
    } finally {
      watched.busy = false;
    }
  }

  #need(): { reader: StoreReader } {
    if (!this.#reader) throw new Error('The terminal pump has no workspace.');
    return { reader: this.#reader };
  }
}

function key(run: string, uid: string): string {
  return `${run}/${uid}`;
}
