import type { CheckpointView } from '@shared/contract/checkpoint-views';
import type { ErrorCode } from '@shared/contract/errors';
import type { FileContent, FilePage, LineCounts, RevisionPage } from '@shared/contract/file-views';
import type { DecidedExamples } from '@shared/contract/ipc/guideline';
import type { LabelPreview, RetroMask, SimilarSteps } from '@shared/contract/ipc/labels';
import type { MergeReport } from '@shared/contract/ipc/merge';
import type { ApprovalAsked } from '@shared/contract/ipc/runs';
import type { StepFacets } from '@shared/contract/ipc/timeline';
import type { RuleSettings } from '@shared/contract/rules/rule-settings';
import type { RulePreview, RuleProgress, StoredRuleSettings } from '@shared/contract/rules/rule-views';
import type { IndexProgress, ScanNews, SearchPage, WorkspaceHits } from '@shared/contract/search/views';
import type { StepQuery } from '@shared/contract/step-query';
import type { StepRange } from '@shared/contract/step-range';
import type {
  PromptView,
  QueryView,
  RunHints,
  RunSummary,
  SegmentView,
  SessionAt,
  SessionView,
  StepDetail,
  StepHead,
  Tile,
  VerifyReport,
} from '@shared/contract/views';
import type { StepEvidence } from '@shared/labels/evidence';
import type { TimedDecision } from '@shared/labels/review/pace';
import type { PeopleReport, Person, QueueItem, QueueView } from '@shared/labels/review/queue-views';
import type { AnnotationEntry, AnnotationOp, AnnotationTarget, Author } from '@shared/log/annotations';
import type { DatedEvent, NewEvent, RunEvent } from '@shared/log/events';
import type { ImageBytes } from '@shared/log/image-part';
import type { OutboxEntry, OutboxOp } from '@shared/log/outbox';
import type { ReportedRun, RunAttention, RunFindings } from '@shared/runs/attention/attention';
import type { RunStats } from '@shared/runs/run-stats';
import type { QueuePlace } from './queries/read-queue';
import type { StandingBatch } from './queries/read-queue-batches';
import type { OpenHint } from './queries/read-retro-masks';
import type { Withheld, WithheldRun } from './queries/read-withheld';
import type { ScanRequest, ScanStart } from './search/search-part';
import type { SessionHits, SessionSearch } from './search/search-sessions';
import type { WordSearchRequest } from './search/search-words';
import type { VerifyDepth } from './verify/verify';

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

/** What an undo took out: `unit` in the order it was stored, `undid` its last, and the last entry that did it. */
export interface Undone {
  entry: AnnotationEntry;
  undid: AnnotationEntry;
  unit: AnnotationEntry[];
}

export interface Redone {
  entry: AnnotationEntry;
  redid: AnnotationEntry;
  unit: AnnotationEntry[];
}

export interface SessionChunk {
  offset: number;
  bytes: Uint8Array;
  receivedAt: number;
  hostAt: number | null;
}

/** A tool as the model saw it; `parameters` is its JSON schema. */
export interface OfferedTool {
  name: string;
  parameters: Record<string, unknown>;
}

export interface StoredTask {
  id: string;
  title: string;
  domain: string | null;
  /** sha256 of the package's content. */
  hash: string;
  /** Folder below the workspace that holds the pinned copy. */
  folder: string;
  spec: Record<string, unknown>;
  addedAt: number;
}

/** Who is to review what. Opinions a person may not know yet are withheld by `readerFor`. */
export interface ReviewReader {
  /** What waits for a person; `open`: a run that counts when nobody was assigned to it. */
  queueView(person: Author, open: string | null): Promise<QueueView>;
  queueNext(
    person: Author,
    open: string | null,
    from: QueuePlace | null,
    direction: 1 | -1,
  ): Promise<QueueItem | null>;
  /** Of steps `from..to`, those whose opinions the person may not be sent; null when there is none. */
  withheld(run: string, person: Author, from: number, to: number): Promise<Withheld | null>;
  withheldRuns(person: Author): Promise<WithheldRun[]>;
  batches(): Promise<StandingBatch[]>;
  /** Steps of a run's range that somebody is to review. */
  assignedSteps(run: string): Promise<StepRange[]>;
  annotators(): Promise<Person[]>;
  people(viewer: Author, runs: readonly string[]): Promise<PeopleReport>;
  /** A person's (uuid) own times, the newest first. */
  dwell(author: string): Promise<TimedDecision[]>;
}

/** Everything here is bounded: ranges are cut at the limits given, and the caller asks again. */
export interface StoreReader extends ReviewReader {
  runs(): Promise<RunSummary[]>;
  run(run: string): Promise<RunSummary>;
  /** Full ULID for a unique prefix; `not_found` or `bad_input` (ambiguous) else. */
  resolveRun(prefix: string): Promise<string>;
  /** Events `[fromSeq, ...]` in order, at most `limit` (≤ 2,000) and about 8 MB. */
  events(run: string, fromSeq: number, limit: number): Promise<RunEvent[]>;
  heads(run: string, from: number, to: number): Promise<StepHead[]>;
  /** Numbers of all steps that match, ascending. */
  matches(run: string, query: StepQuery): Promise<number[]>;
  countMatches(run: string, query: StepQuery): Promise<number>;
  /** The nearest step from `from` on for which one of the queries holds, and for how many one does. */
  nearest(
    run: string,
    queries: readonly StepQuery[],
    from: number,
    direction: 1 | -1,
  ): Promise<{ step: number | null; total: number }>;
  /** What filters can be set to in this run. */
  facets(run: string): Promise<StepFacets>;
  tiles(run: string): Promise<Tile[]>;
  segments(run: string): Promise<SegmentView[]>;
  step(run: string, step: number): Promise<StepDetail>;
  evidence(run: string, step: number): Promise<StepEvidence>;
  prompt(run: string, step: number): Promise<PromptView>;
  /** An image that the run's log names, by the sha256 (hex) of its file. */
  image(run: string, sha256: string): Promise<ImageBytes>;
  /** Of the run itself, oldest first. */
  checkpoints(run: string): Promise<CheckpointView[]>;
  /** What the run waits for a person's word on, oldest first. */
  openApprovals(run: string): Promise<ApprovalAsked[]>;
  /** Kinds of actions that a person allowed for the rest of the run, oldest first. */
  allowedKinds(run: string): Promise<string[]>;
  hints(run: string): Promise<RunHints>;
  outbox(run: string, afterId: number): Promise<OutboxEntry[]>;
  outboxHead(run: string): Promise<number>;
  /** The entry of outbox or annotation log with this id, whichever has it; null when it is not stored. */
  entry(ulid: string): Promise<{ outbox: OutboxEntry } | { annotation: AnnotationEntry } | null>;
  sessions(run: string): Promise<SessionView[]>;
  /** Those that were open or had ended when the step was over. */
  sessionsAt(run: string, step: number): Promise<SessionAt[]>;
  readSession(
    run: string,
    uid: string,
    offset: number,
    maxBytes: number,
  ): Promise<{ offset: number; bytes: Uint8Array; endOffset: number }>;
  /**
   * Lines of the stored output that contain the text, ignoring case. A newer search ends an older one, which then
   * answers with what it has and `truncated`.
   */
  searchSessions(search: SessionSearch): Promise<SessionHits>;
  files(run: string, page: { filter: string; offset: number; limit: number }): Promise<FilePage>;
  /** The page of at most `limit` (≤ 200) revisions around what was in force then; null = the last ones. */
  fileRevisions(
    run: string,
    file: FileKey,
    at: { step: number } | { revision: number } | null,
    limit: number,
  ): Promise<RevisionPage>;
  /** Counts the first of `revisions` and as many more as a moment allows. */
  fileCounts(run: string, file: FileKey, revisions: readonly number[]): Promise<LineCounts[]>;
  /** A file at a revision; 0 = before the first change. */
  fileText(run: string, file: FileKey, revision: number): Promise<FileContent>;
  queries(run: string): Promise<QueryView[]>;
  /** Hits of words in a run, with snippets, and how many there are. */
  search(request: WordSearchRequest): Promise<SearchPage>;
  /** Numbers of all steps of a run that a query of words finds, ascending; none for a query that cannot be searched. */
  stepsMatching(run: string, query: string): Promise<number[]>;
  /** The first hits of every run. */
  searchWorkspace(query: string, limit: number): Promise<WorkspaceHits>;
  /** Begins to look through all steps for a pattern, and through terminals for anything; ends the scan before. */
  startScan(request: ScanRequest): Promise<ScanStart>;
  /** What a scan found from hit number `after` on; waits a moment for news. @throws WaymarkError cancelled */
  scanNews(scan: number, after: number): Promise<ScanNews>;
  stopScan(scan: number): Promise<void>;
  indexProgress(): Promise<IndexProgress>;
  /** Entries about a run in the order they were stored, at most 20,000; `after` is the `last` of the page before. */
  annotationPage(run: string, after: number): Promise<{ entries: AnnotationEntry[]; last: number | null }>;
  annotations(run: string): Promise<AnnotationEntry[]>;
  similarSteps(run: string, step: number): Promise<SimilarSteps>;
  undecidedSteps(run: string, from: number, to: number): Promise<LabelPreview>;
  /** What the model could call when it made the step; empty when the log does not say. */
  offeredTools(run: string, step: number): Promise<OfferedTool[]>;
  /** Writes the whole annotation log into a file; returns how many entries. */
  exportAnnotations(path: string): Promise<number>;
  /** Delivered hints that may contradict earlier steps and wait for this person's (uuid) word. */
  openHints(run: string, author: string): Promise<OpenHint[]>;
  /** What one of them contradicts; null when its steps are gone. */
  retroMask(run: string, hint: OpenHint): Promise<RetroMask | null>;
  /** Steps decided for a reason, by reason. */
  decidedExamples(run: string): Promise<DecidedExamples[]>;
  tasks(): Promise<StoredTask[]>;
  task(id: string): Promise<StoredTask>;
  /** What the workspace says about the rules of a task; null: nothing. */
  ruleSettings(task: string): Promise<StoredRuleSettings | null>;
  /** Steps that each rule speaks about in a run. */
  ruleCounts(run: string): Promise<Partial<Record<string, number>>>;
  /** How far the verdicts of a task's runs are derived with the settings in force. */
  ruleProgress(task: string): Promise<RuleProgress>;
  /** What other settings would change; a newer preview ends an older one, which then answers `superseded`. */
  previewRules(runs: string[], settings: RuleSettings): Promise<RulePreview>;
  verify(runs?: string[], depth?: VerifyDepth): Promise<VerifyReport>;
  /** Figures for plots: bounded, up to the run's head. */
  stats(run: string): Promise<RunStats>;
  /** What wants a person's eye in a run, up to its head. */
  attention(run: string): Promise<RunFindings>;
  /** Per run what is new to a person (uuid); a long run that was never looked at comes bit by bit (`behind`). */
  attentionList(author: string): Promise<RunAttention[]>;
  /** What each run did in `[from, to)`, wall-clock ms. */
  attentionReport(from: number, to: number): Promise<ReportedRun[]>;
}

/** A file as the run's actions name it. */
export interface FileKey {
  computer: string;
  path: string;
}

/** Why nothing can be written at the moment. */
export type StoreProblem =
  | 'disk_full'
  | 'workspace_corrupt'
  | 'workspace_locked'
  | 'read_only'
  | 'system_busy';

/** Pushed by the store after a commit, also for commits of other processes (within 200 ms). */
export type StoreNotice =
  /** `events`: from a thread only those without large texts (`told-events.ts`). */
  /** `events` null: too many at once, or one cannot be read; ask for what you need. */
  | { kind: 'run'; run: string; seq: number; steps: number; events: RunEvent[] | null }
  | { kind: 'outbox'; run: string; head: number }
  | { kind: 'labels'; run: string; from: number; to: number }
  | { kind: 'session'; run: string; uid: string; endOffset: number }
  | { kind: 'foreign' }
  /** Events of a run that are derived again, so far, of so many. */
  | { kind: 'rebuild'; run: string; done: number; of: number }
  | ({ kind: 'index' } & IndexProgress)
  /** One run has something that cannot be read; all else goes on without it. Said once per run, also to who subscribes later. */
  | { kind: 'unreadable'; run: string; code: ErrorCode; message: string }
  | { kind: 'problem'; code: StoreProblem; message: string }
  | { kind: 'problem_solved'; code: StoreProblem };

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
