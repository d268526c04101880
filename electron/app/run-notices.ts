import type { Settings } from '@shared/contract/settings';
import { type AttentionItem, type RunFindings, urgencyOf } from '@shared/runs/attention/attention';
import type { Store } from '../store/api';
import { type Batch, type NoticeClock, NoticeLimiter } from './notice-limiter';
import type { NoticeWords } from './notice-words';

/** How soon after a commit the run is looked at, and how long a first notice waits for others, ms. */
const LOOK_MS = 1_000;
const GATHER_MS = 2_000;
/** Items that time alone makes are looked for no later than this, ms. */
const LATEST_MS = 15_000;

type Watched = {
  reader: Pick<Store['reader'], 'runs' | 'run' | 'attention'>;
  subscribe: Store['subscribe'];
};

export interface RunNoticesOptions {
  settings(): Settings['notifications'];
  words(): NoticeWords;
  /** False while a person looks at the window. */
  away(): boolean;
  clock: NoticeClock & { now(): number };
  show(title: string, body: string, clicked: () => void): void;
  /** A notification was clicked. */
  open(run: string, step: number | null): void;
  failed(error: unknown): void;
}

/** Notifications of the system: what wants a person's eye while nobody looks at that run. Each item is said once. */
export class RunNotices {
  private readonly options: RunNoticesOptions;
  private readonly limiter: NoticeLimiter;
  /** Run that the window shows. */
  private shown: string | null = null;

  constructor(options: RunNoticesOptions) {
    this.options = options;
    this.limiter = new NoticeLimiter(
      options.clock,
      () => options.settings().perHour,
      GATHER_MS,
      (batch) => this.sayBatch(batch),
    );
  }

  /** Follows the runs of a workspace from now on; returns the function that stops it. */
  watch(store: Watched): () => void {
    const watching = new Watching(store, this.options, (item, run) => this.found(item, run));
    return () => watching.stop();
  }

  /** The window shows this run. */
  shows(run: string | null): void {
    this.shown = run;
    if (run !== null && this.looksAt(run)) this.limiter.drop(run);
  }

  /** Something else waits for a person who does not look, if they want to hear of that. */
  needed(body: string): void {
    if (this.options.settings().waiting && this.options.away()) this.say(body);
  }

  say(body: string): void {
    this.options.show('Waymark', body, () => undefined);
  }

  dispose(): void {
    this.limiter.dispose();
  }

  private looksAt(run: string): boolean {
    return this.shown === run && !this.options.away();
  }

  private found(item: AttentionItem, { title, task }: { title: string; task: string }): void {
    if (!wanted(item, this.options.settings()) || this.looksAt(item.run)) return;
    const text = this.options.words().item(item);
    this.limiter.offer(task, { run: item.run, step: item.step, title, text, urgency: item.urgency });
  }

  private sayBatch({ run, step, title, text, more }: Batch): void {
    if (this.looksAt(run)) return;
    const rest = more === 0 ? '' : ` ${this.options.words().more(more)}`;
    this.options.show(title, `${text}${rest}`, () => this.options.open(run, step));
  }
}

function wanted(item: AttentionItem, settings: Settings['notifications']): boolean {
  switch (item.kind) {
    case 'asks_you':
      return settings.waiting;
    case 'paused':
      // Whoever paused it knows.
      return settings.waiting && item.urgency === 1;
    case 'finished':
      return settings.finished;
    case 'failed':
      return settings.failed;
    default:
      return urgencyOf[item.kind] === 1 ? settings.urgent : urgencyOf[item.kind] === 2 && settings.findings;
  }
}

/** Looks at each run that changed, and tells of items that were not there before. */
class Watching {
  private readonly told = new Map<string, ReadonlySet<string>>();
  private readonly planned = new Map<string, { at: number; cancel: () => void }>();
  private readonly stopListening: () => void;
  private readonly since: number;
  /** Where each run stood when the watching began. */
  private heads: Promise<ReadonlyMap<string, number>>;
  private stopped = false;

  constructor(
    private readonly store: Watched,
    private readonly options: RunNoticesOptions,
    private readonly found: (item: AttentionItem, run: { title: string; task: string }) => void,
  ) {
    this.since = options.clock.now();
    this.stopListening = store.subscribe((notice) => {
      if (notice.kind === 'run') this.plan(notice.run, LOOK_MS);
    });
    this.heads = this.readHeads();
    this.heads.catch(options.failed);
  }

  private async readHeads(): Promise<ReadonlyMap<string, number>> {
    const runs = await this.store.reader.runs();
    // GPUs of a run that is driven may be idle since before.
    for (const { id, stored } of runs) if (stored === 'running') this.plan(id, LOOK_MS);
    return new Map(runs.map(({ id, seq }) => [id, seq]));
  }

  /** What could not be read when the watching began is read at the next look; items are then told by their time. */
  private async headOf(run: string): Promise<number> {
    try {
      return (await this.heads).get(run) ?? 0;
    } catch {
      // It was told when the watching began.
      this.heads = this.readHeads();
      return (await this.heads).get(run) ?? 0;
    }
  }

  stop(): void {
    this.stopped = true;
    this.stopListening();
    for (const { cancel } of this.planned.values()) cancel();
    this.planned.clear();
  }

  private plan(run: string, ms: number): void {
    const at = this.options.clock.monotonic() + ms;
    const known = this.planned.get(run);
    if (this.stopped || (known !== undefined && known.at <= at)) return;
    known?.cancel();
    const cancel = this.options.clock.after(ms, () => {
      this.planned.delete(run);
      // Removed meanwhile, or the workspace is being closed: there is nothing to say then.
      this.look(run).catch((error: unknown) => !this.stopped && this.options.failed(error));
    });
    this.planned.set(run, { at, cancel });
  }

  private async look(run: string): Promise<void> {
    const head = await this.headOf(run);
    const findings = await this.store.reader.attention(run);
    if (this.stopped) return;
    const fresh = this.fresh(run, findings, head);
    if (findings.nextAt !== null) {
      this.plan(run, Math.max(LOOK_MS, Math.min(LATEST_MS, findings.nextAt - this.options.clock.now())));
    }
    if (fresh.length === 0) return;
    const { title, task } = await this.store.reader.run(run);
    if (this.stopped) return;
    for (const item of fresh) this.found(item, { title, task: task.id });
  }

  private fresh(run: string, { items }: RunFindings, head: number): AttentionItem[] {
    const told = this.told.get(run);
    this.told.set(run, new Set(items.map(key)));
    return items.filter((item) => told?.has(key(item)) !== true && (item.seq > head || item.at > this.since));
  }
}

/** A thing that comes back after it was over is said again; one that is over is not said for that. */
function key({ id, at }: AttentionItem): string {
  return `${id} ${at}`;
}
