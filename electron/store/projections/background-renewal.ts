import { WaymarkError } from '@shared/contract/errors';
import { SerialQueue } from '../../base/serial-queue';
import { isRemoved } from '../log/removed-run';
import { unreadableRun } from '../log/unreadable-run';
import type { StoreNotice } from '../notices';
import { ProjectionRenewal, type RenewalParts } from './projection-renewal';
import { outdatedRuns } from './projection-upgrade';

type Waiting = { promise: Promise<void>; done(): void; fail(thrown: unknown): void };

/** Derives projections again while the workspace is in use: of long runs that an older fold kept, and where somebody asks. */
export class BackgroundRenewal {
  private readonly outdated = new Map<string, Waiting & { id: number }>();
  /** Why a run could not be derived again. */
  private readonly unreadable = new Map<string, unknown>();
  private readonly queue = new SerialQueue();
  private ended = false;

  constructor(
    private readonly parts: Omit<RenewalParts, 'stopped'>,
    /** Work that nobody waits for was stopped by a full disk or a damaged file; throws what is a bug. */
    private readonly failed: (thrown: unknown) => void,
    private readonly told: (notice: StoreNotice) => void,
  ) {}

  start(): void {
    for (const { id, ulid } of outdatedRuns(this.parts.statements)) {
      this.outdated.set(ulid, { id, ...waiting() });
    }
    if (this.outdated.size > 0) this.queue.run(() => this.upgrade());
  }

  /** Whether the run's rows and state are those of an older fold: nothing may be appended before they are renewed. */
  isOutdated(run: string): boolean {
    return this.outdated.has(run) || this.unreadable.has(run);
  }

  /** Resolves when the run can be appended to; such a run is the next one. */
  async ready(run: string): Promise<void> {
    if (this.unreadable.has(run)) throw this.unreadable.get(run);
    const wanted = this.outdated.get(run);
    if (wanted === undefined) return;
    const others = [...this.outdated].filter(([ulid]) => ulid !== run);
    this.outdated.clear();
    this.outdated.set(run, wanted);
    for (const [ulid, other] of others) this.outdated.set(ulid, other);
    await wanted.promise;
  }

  /** The same for a run that goes as a whole: nothing more is read of it, so one that cannot be read is ready too. */
  async over(run: string): Promise<void> {
    try {
      await this.ready(run);
    } catch (thrown) {
      if (unreadableRun(run, thrown) === null) throw thrown;
    }
  }

  /** Derives one run again now; resolves with how many rows were not what the log gives. Null when the workspace closes. */
  renew(id: number, ulid: string): Promise<number | null> {
    return this.queue.run(() => this.work(id, ulid));
  }

  async idle(): Promise<void> {
    await this.queue.idle();
  }

  stop(): void {
    this.ended = true;
  }

  private async upgrade(): Promise<void> {
    try {
      for (let next = first(this.outdated); next !== undefined && !this.ended; next = first(this.outdated)) {
        const [ulid, run] = next;
        if ((await this.upgradeOne(ulid, run)) === null) break;
        this.outdated.delete(ulid);
      }
      if (this.ended) this.refuse(new WaymarkError('cancelled', 'The workspace is closed.'));
    } catch (thrown) {
      this.refuse(thrown);
      this.failed(thrown);
    }
  }

  /**
   * A run that cannot be read stays as it is, and refuses appends; of one that is removed meanwhile nothing is left to do; the others
   * have their turn. Null when the workspace closes.
   */
  private async upgradeOne(ulid: string, run: Waiting & { id: number }): Promise<number | null> {
    try {
      const changed = await this.work(run.id, ulid);
      if (changed !== null) run.done();
      return changed;
    } catch (thrown) {
      if (thrown instanceof WaymarkError && isRemoved(this.parts.statements, run.id)) {
        run.done();
        return 0;
      }
      const notice = unreadableRun(ulid, thrown);
      if (notice === null) throw thrown;
      this.unreadable.set(ulid, thrown);
      run.fail(thrown);
      this.told(notice);
      return 0;
    }
  }

  private refuse(thrown: unknown): void {
    for (const { fail } of this.outdated.values()) fail(thrown);
  }

  private work(id: number, ulid: string): Promise<number | null> {
    return new ProjectionRenewal({ ...this.parts, stopped: () => this.ended }, id, ulid).work();
  }
}

function first<K, V>(map: ReadonlyMap<K, V>): [K, V] | undefined {
  return map.entries().next().value;
}

function waiting(): Waiting {
  let settle: [() => void, (thrown: unknown) => void] = [() => undefined, () => undefined];
  const promise = new Promise<void>((resolve, reject) => {
    settle = [resolve, reject];
  });
  // Most runs nobody waits for.
  promise.catch(() => undefined);
  return { promise, done: settle[0], fail: settle[1] };
}
