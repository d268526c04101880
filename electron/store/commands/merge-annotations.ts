import { realpathSync } from 'node:fs';
import { WaymarkError } from '@shared/contract/errors';
import type { MergeReport } from '@shared/contract/ipc/merge';
import { joined, partsOf, type StepRange } from '@shared/contract/step-range';
import type { AnnotationEntry } from '@shared/log/annotations';
import { SerialQueue } from '../../base/serial-queue';
import { storeFailure } from '../file/database';
import { LAST_SEQ, rowId, type Statements } from '../file/rows';
import { noteEnd } from '../log/annotation-ends';
import { AnnotationRows } from '../log/annotation-rows';
import { type OpenForeignLog, openForeignLog } from '../log/checked-log';
import { type FreshEntry, readForeignEntries, withoutKnown } from '../log/foreign-entries';
import { GestureIndex } from '../log/gesture-index';
import type { GroupCommit } from '../log/group-commit';
import type { RangeIndex } from '../log/range-index';
import type { OpenRun } from '../log/run-log';
import type { SourceEntry } from '../log/stored-entries';
import { LabelFlag } from '../projections/fold-rows';
import type { LabelWork, PendingLabels } from '../projections/label-work';

/**
 * Entries in one transaction at most, how long it may take them in, and how long all of it may take, ms: the labels of their steps
 * are several times the work, and most are renewed at once.
 */
const BATCH = 1000;
const BATCH_MS = 5;
/** Entries that go in together, before it looks at the time again. */
const TOGETHER = 32;
const WHOLE_MS = 20;
/** How long a transaction may renew what is left of them, ms. */
const RENEW_MS = 10;

export interface MergeOptions {
  folder: string;
  /** Reads another annotation log; default: in this thread. */
  openLog?: OpenForeignLog;
  /** The run as stored now, or null: it is not here, or was removed. */
  open(run: string): OpenRun | null;
  /** Somebody decided about the running step: its row must exist. */
  settle(run: OpenRun): void;
  /** Right after COMMIT: rows that it has put into the log, side by side. */
  stored(from: number, to: number): void;
  relabelled(run: string, from: number, to: number): void;
  /** Work that nobody waits for was stopped by a full disk or a damaged file; throws what is a bug. */
  failed(thrown: unknown): void;
}

type RunPlace = { at: 'here'; run: OpenRun } | { at: 'removed'; id: number } | { at: 'away' };

/** What one transaction stored. */
interface Batch {
  /** How many of the entries it was given; the others had no time. */
  done: number;
  /** Entries that are in the log now, those about removed runs included. */
  added: number;
  /** Their rows, which lie side by side; null for none. */
  rows: { from: number; to: number } | null;
  kept: FreshEntry[];
  work: { run: string; parts: StepRange[]; pending: PendingLabels | null }[];
}

/** A row of the log; `about` null: the entry of a removed run, of which only its place in the chain is kept. */
interface NewRow {
  entry: FreshEntry;
  run: number;
  about: { parsed: AnnotationEntry; run: OpenRun } | null;
}

/**
 * Takes over entries of other annotation logs, verbatim: the union of two logs is a valid log, so nothing is overwritten
 * and what contradicts becomes a disagreement. Entries about steps that are not here are kept aside until they are.
 */
export class MergeAnnotations {
  /** Runs with entries kept aside, and the step that the first of those waits for. */
  private readonly waiting = new Map<string, number>();
  /** State of the file, by run, as of which that was looked up: another process may keep entries aside as well. */
  private readonly looked = new Map<string, unknown>();
  private readonly intake = new SerialQueue();
  private readonly merges = new SerialQueue();
  private readonly gestures: GestureIndex;
  private readonly entries: AnnotationRows;

  constructor(
    private readonly statements: Statements,
    private readonly ranges: RangeIndex,
    private readonly labels: LabelWork,
    private readonly group: GroupCommit,
    private readonly options: MergeOptions,
  ) {
    this.gestures = new GestureIndex(statements);
    this.entries = new AnnotationRows(statements);
  }

  /**
   * One at a time in this process: what one has taken is known to the next. Other processes are noticed by their commits.
   * @throws WaymarkError when the other log does not check; nothing was taken then
   */
  merge(path: string): Promise<MergeReport> {
    return this.merges.run(() => this.mergeNow(path));
  }

  private async mergeNow(path: string): Promise<MergeReport> {
    const { openLog = openForeignLog } = this.options;
    const log = await openLog(this.elsewhere(path));
    try {
      // Changes with every commit of another process; what this one writes meanwhile has places of its own.
      const version = this.version();
      const { known, fresh } = await readForeignEntries(this.statements, log, path);
      const runs = [...new Set(fresh.map(({ run }) => run))].filter((run) => this.place(run).at === 'here');
      const before = this.disagreements(runs);
      const kept: FreshEntry[] = [];
      let added = 0;
      for (let at = 0; at < fresh.length; ) {
        const batch = await this.take(fresh.slice(at, at + BATCH), path, version);
        kept.push(...batch.kept);
        added += batch.added;
        at += batch.done;
      }
      const news = [...this.disagreements(runs)].filter((step) => !before.has(step));
      return {
        from: path,
        added,
        // Another process may have taken over some of them meanwhile.
        known: known + fresh.length - added - kept.length,
        kept: { entries: kept.length, runs: [...new Set(kept.map(({ run }) => run))] },
        people: namesOf(fresh),
        runs,
        disagreements: news.length,
      };
    } catch (thrown) {
      throw storeFailure(thrown, path);
    } finally {
      await log.close();
    }
  }

  /** Looks for entries that were kept aside and whose steps have come meanwhile. */
  start(): void {
    const rows = this.statements.all<{ run: string; first: number }>(
      "SELECT run, min(json_extract(body, '$.target.to')) AS first FROM kept_annotation WHERE body <> '' GROUP BY run",
    );
    for (const { run, first } of rows) {
      this.waiting.set(run, first);
      this.appeared(run, this.options.open(run)?.state.steps ?? 0);
    }
  }

  /** The run has this many steps as of this state of the file. Costs next to nothing unless entries about it were kept aside. */
  appeared(run: string, steps: number, version: unknown = this.version()): void {
    if (this.looked.get(run) !== version) {
      this.looked.set(run, version);
      const kept = this.firstKept(run);
      if (kept !== null) this.waiting.set(run, kept);
    }
    const first = this.waiting.get(run);
    if (first === undefined || steps < first) {
      return;
    }
    this.waiting.delete(run);
    this.intake.run(() => this.takeIn(run)).catch((thrown: unknown) => this.options.failed(thrown));
  }

  /** Resolves when what has come meanwhile is taken in; after a failure it is tried again at the next start. */
  async idle(): Promise<void> {
    await this.intake.idle();
  }

  private elsewhere(path: string): string {
    const same = (() => {
      try {
        return realpathSync(path) === realpathSync(this.options.folder);
      } catch {
        // What is not there is refused, by name, when it is opened.
        return false;
      }
    })();
    if (same) {
      throw new WaymarkError('bad_input', `${path} is the workspace that is open. Name another one.`);
    }
    return path;
  }

  /** Stores the first of the entries in one transaction and renews the labels of their steps. */
  private async take(entries: FreshEntry[], where: string, version: unknown): Promise<Batch> {
    const batch = await this.group.add({
      run: () => {
        const fresh = this.version() === version ? entries : withoutKnown(this.statements, entries, where);
        const batch = this.store(fresh);
        // What another process took over meanwhile lies before those that had no time.
        const next = fresh[batch.done];
        return { ...batch, done: next === undefined ? entries.length : entries.indexOf(next) };
      },
      committed: (done: Batch) => this.announce(done),
    });
    await this.finish(batch);
    return batch;
  }

  private announce({ rows, kept }: Batch): void {
    if (rows !== null) {
      this.options.stored(rows.from, rows.to);
    }
    for (const { run, parsed } of kept) {
      const to = parsed?.target.to ?? Number.POSITIVE_INFINITY;
      this.waiting.set(run, Math.min(to, this.waiting.get(run) ?? Number.POSITIVE_INFINITY));
    }
  }

  private async finish({ work }: Batch): Promise<void> {
    for (const { run, parts, pending } of work) {
      await this.labels.finish(pending, RENEW_MS);
      this.options.relabelled(run, parts[0]?.from ?? 1, parts.at(-1)?.to ?? 1);
    }
  }

  /** Inside the transaction. */
  private store(entries: readonly FreshEntry[]): Batch {
    const batch: Batch = { done: 0, added: 0, rows: null, kept: [], work: [] };
    const begun = performance.now();
    const touched = new Map<OpenRun, { annotation: number; parts: readonly StepRange[] }[]>();
    const places = new Map([...new Set(entries.map(({ run }) => run))].map((run) => [run, this.place(run)]));
    const ends = new Map<string, FreshEntry>();
    while (batch.done < entries.length && (batch.done === 0 || performance.now() <= begun + BATCH_MS)) {
      const some = entries.slice(batch.done, batch.done + TOGETHER);
      batch.done += some.length;
      const rows: NewRow[] = [];
      for (const entry of some) {
        const place = places.get(entry.run) ?? { at: 'away' };
        const { parsed } = entry;
        if (entry.deviceSeq > (ends.get(entry.device)?.deviceSeq ?? 0)) ends.set(entry.device, entry);
        if (place.at === 'removed') {
          rows.push({ entry, run: place.id, about: null });
        } else if (place.at === 'away' || parsed === null || parsed.target.to > place.run.state.steps) {
          this.keep(entry);
          batch.kept.push(entry);
        } else {
          rows.push({ entry, run: place.run.id, about: { parsed, run: place.run } });
        }
      }
      let annotation = this.entries.insert(
        rows.map(({ entry: { ulid, device, deviceSeq, body: text, hash }, run, about }) => {
          const said = about?.parsed ?? null;
          return { ulid, run, device, deviceSeq, said, text, hash };
        }),
      );
      if (rows.length > 0) {
        batch.rows = { from: batch.rows?.from ?? annotation, to: annotation + rows.length - 1 };
        batch.added += rows.length;
      }
      for (const { entry, about } of rows) {
        if (about !== null) {
          const { parsed, run } = about;
          this.ranges.remember(annotation, parsed, entry.body.length);
          this.gestures.add(annotation, run.id, parsed);
          const news = touched.get(run) ?? [];
          news.push({ annotation, parts: partsOf(parsed.target) });
          touched.set(run, news);
        }
        annotation += 1;
      }
    }
    for (const { device, deviceSeq, hash } of ends.values()) {
      noteEnd(this.statements, { device, seq: deviceSeq, hash: Buffer.from(hash, 'hex') });
    }
    for (const [run, news] of touched) {
      this.ranges.addAll(run.id, news);
      const parts = joined(news.flatMap((each) => each.parts));
      if (parts.at(-1)?.to === run.state.steps) {
        this.options.settle(run);
      }
      batch.work.push({ run: run.ulid, parts, pending: this.labels.begin(run.id, parts, begun + WHOLE_MS) });
    }
    return batch;
  }

  private version(): unknown {
    return this.statements.prepare('PRAGMA data_version').pluck().get();
  }

  private place(run: string): RunPlace {
    const open = this.options.open(run);
    if (open !== null) {
      return { at: 'here', run: open };
    }
    const row = this.statements.get<{ id: number }>('SELECT id FROM run WHERE ulid = ?', run);
    return row === undefined ? { at: 'away' } : { at: 'removed', id: row.id };
  }

  private keep({ device, deviceSeq, ulid, run, body, hash }: FreshEntry): void {
    this.statements.run(
      'INSERT INTO kept_annotation (device, device_seq, ulid, run, body, hash) VALUES (?, ?, ?, ?, ?, unhex(?))',
      ...[device, deviceSeq, ulid, run, body, hash],
    );
  }

  private async takeIn(run: string): Promise<void> {
    for (let more = true; more; ) {
      const batch = await this.group.add({
        run: () => {
          const steps = this.options.open(run)?.state.steps ?? 0;
          const entries = this.statements.all<SourceEntry>(
            `SELECT device, device_seq AS deviceSeq, ulid, run, body, lower(hex(hash)) AS hash FROM kept_annotation
             WHERE run = ? AND body <> '' AND json_extract(body, '$.target.to') <= ? LIMIT ${BATCH}`,
            run,
            steps,
          );
          const batch = this.store(
            entries.map((entry) => ({ ...entry, parsed: JSON.parse(entry.body) as AnnotationEntry })),
          );
          for (const { device, deviceSeq } of entries.slice(0, batch.done)) {
            this.statements.run(
              'DELETE FROM kept_annotation WHERE device = ? AND device_seq = ?',
              device,
              deviceSeq,
            );
          }
          return batch;
        },
        committed: (done: Batch) => this.announce(done),
      });
      await this.finish(batch);
      more = batch.done > 0;
    }
    this.wait(run);
  }

  /** What is still kept aside waits for later steps. */
  private wait(run: string): void {
    const first = this.firstKept(run);
    if (first !== null) {
      this.waiting.set(run, first);
      this.appeared(run, this.options.open(run)?.state.steps ?? 0);
    }
  }

  private firstKept(run: string): number | null {
    const row = this.statements.get<{ first: number | null }>(
      "SELECT min(json_extract(body, '$.target.to')) AS first FROM kept_annotation WHERE run = ? AND body <> ''",
      run,
    );
    return row?.first ?? null;
  }

  /** Keys of the steps about which opinions differ. */
  private disagreements(runs: readonly string[]): Set<number> {
    const find = this.statements
      .prepare(
        `SELECT id FROM step_head INDEXED BY step_filter WHERE id BETWEEN ? AND ? AND label_flags & ${LabelFlag.disagreement}`,
      )
      .pluck();
    return new Set(
      runs.flatMap((run) => {
        const id = this.options.open(run)?.id ?? 0;
        return find.all(rowId(id, 0), rowId(id, LAST_SEQ)) as number[];
      }),
    );
  }
}

function namesOf(entries: readonly FreshEntry[]): string[] {
  const names = new Set<string>();
  for (const { parsed } of entries) {
    if (parsed !== null) names.add(parsed.author.name);
  }
  return [...names].sort();
}
