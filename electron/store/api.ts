import type { MergeReport } from '@shared/contract/ipc/merge';
import type { RuleSettings } from '@shared/contract/rules/rule-settings';
import type { TimedDecision } from '@shared/labels/review/pace';
import type { AnnotationEntry, AnnotationOp, AnnotationTarget, Author } from '@shared/log/annotations';
import type { DatedEvent, NewEvent } from '@shared/log/events';
import type { OutboxEntry, OutboxOp } from '@shared/log/outbox';
import type { StoreNotice } from './notices';
import type { StoreReader } from './queries/table';
import type { Redone, SessionChunk, StoredTask, Undone } from './values';

/**
 * What the engine asks of the store. Two worker threads stand behind it: one writing connection, one for
 * bounded reads. Every write resolves after COMMIT under `synchronous=FULL`. Expected failures reject with a
 * `WaymarkError` (`disk_full`, `not_found`, `conflict`, ...).
 */
export interface StoreWriter {
  /**
   * Appends events of one run in one transaction; heads, marks and rule columns advance with them. Returns the new head.
   * `newest`: nothing is written, and it rejects with `conflict`, when a run was begun after this one; null: when any was.
   */
  append(run: string, epoch: number, events: DatedEvent[], newest?: string | null): Promise<{ seq: number }>;
  /**
   * Appends `events` only if no outbox entry newer than `outboxHead` exists for the run; otherwise nothing
   * is written and `raced` is true. Hint rule: semantics, Hints (one transaction for delivery and request).
   */
  appendIfOutboxAt(
    run: string,
    epoch: number,
    outboxHead: number,
    events: NewEvent[],
  ): Promise<{ raced: boolean; seq: number }>;
  /**
   * Refuses `hint_already_delivered` when an edit, move or withdrawal lost the race. `ulid`: the entry's id where the
   * asker chose it; the same one again stores nothing and gives the entry that is there.
   */
  post(run: string, author: Author, op: OutboxOp, ulid?: string): Promise<OutboxEntry>;
  /**
   * Fills in device, deviceSeq and `supersedes` (the heads on the target as stored now). Steps before a branch point belong to
   * the run they were made in: one entry for each run in one transaction, of which the latest is given. `ulid`: as in `post`.
   */
  annotate(
    author: Author,
    target: AnnotationTarget,
    op: AnnotationOp,
    ulid?: string,
  ): Promise<AnnotationEntry>;
  /** Takes over what another annotation log holds: a workspace's folder, or a file made by `label export`. */
  merge(path: string): Promise<MergeReport>;
  /**
   * Undoes (or redoes) what the author did last in the run, whole: every entry of the gesture, and the decision that it only gave
   * a reason for. Null when there is none. `entry`: undoes the gesture with this entry instead, if it stands.
   */
  undo(run: string, author: Author, entry?: string): Promise<Undone | null>;
  redo(run: string, author: Author): Promise<Redone | null>;
  /**
   * Stores bytes `[offset, offset + length)` of a session; those that are there already are passed over. Rejects with
   * `conflict` when bytes before them are missing, `run_driven_elsewhere` when a driver of a newer epoch wrote.
   */
  sessionBytes(run: string, epoch: number, uid: string, chunk: SessionChunk): Promise<void>;
  /** Removes a run, or only its texts, under a tombstone that keeps counts and hashes. */
  remove(run: string, mode: 'run' | 'text', author: Author): Promise<void>;
  /** Deletes files of texts that nothing names any more, left by processes that were killed; how much that was. */
  clean(): Promise<{ files: number; bytes: number }>;
  createTask(task: StoredTask): Promise<void>;
  /** What the workspace says about the rules of a task; null takes it back. Verdicts of its runs are derived again in the background. */
  setRules(task: string, settings: RuleSettings | null, author: Author): Promise<void>;
  /** Moves a person's bookmark of a run forward; `author` is a uuid. */
  see(run: string, author: string, seq: number): Promise<void>;
  /** Keeps how long a person (uuid) had a step before them; in no log. */
  keepDwell(author: string, decision: Omit<TimedDecision, 'at'>): Promise<void>;
  /** A person does not want a hint's proposal to mask earlier steps again; `author` is a uuid. */
  dismissRetroMask(run: string, hint: string, author: string): Promise<void>;
  /**
   * Derives what is kept about a run from its log again, in small transactions, telling `rebuild` notices; resolves with how
   * many rows were not what the log gives. Nobody may drive the run meanwhile.
   */
  rebuild(run: string): Promise<{ changed: number }>;
  /** Empties the search index; it is filled again in the background. */
  rebuildSearch(): Promise<void>;
  /** Copies the annotation and outbox logs into a verified backup file; returns its path. */
  backup(): Promise<string>;
}

export type { StoreReader };

export interface Store {
  readonly folder: string;
  readonly writer: StoreWriter;
  readonly reader: StoreReader;
  /** The workspace came from elsewhere and nobody has trusted it yet: every write is refused. */
  readonly isReadOnly: boolean;
  /**
   * Takes the run's exclusive driver lock; null when another process holds it. Released when the process dies. Nothing is made
   * for a run that is not here, unless it is to be created now (`isNew`); nothing of the lock stays when it was not.
   * @throws WaymarkError not_found, workspace_corrupt
   */
  lockRun(run: string, isNew?: boolean): { epoch: number; release(): void } | null;
  isDriven(run: string): boolean;
  subscribe(listener: (notice: StoreNotice) => void): () => void;
  /** Resolves when every write asked for so far is durable and the search index has caught up. */
  drain(): Promise<void>;
  close(): Promise<void>;
}
