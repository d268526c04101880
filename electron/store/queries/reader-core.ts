import type { CheckpointView } from '@shared/contract/checkpoint-views';
import type { FileContent, FilePage, LineCounts, RevisionPage } from '@shared/contract/file-views';
import type { DecidedExamples } from '@shared/contract/ipc/guideline';
import type { LabelPreview, RetroMask, SimilarSteps } from '@shared/contract/ipc/labels';
import type { ApprovalAsked } from '@shared/contract/ipc/runs';
import type { StepFacets } from '@shared/contract/ipc/timeline';
import type { RuleSettings } from '@shared/contract/rules/rule-settings';
import type { RulePreview, RuleProgress, StoredRuleSettings } from '@shared/contract/rules/rule-views';
import type { IndexProgress, ScanNews, SearchPage, WorkspaceHits } from '@shared/contract/search/views';
import type { StepQuery } from '@shared/contract/step-query';
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
import type { AnnotationEntry } from '@shared/log/annotations';
import type { RunEvent } from '@shared/log/events';
import type { ImageBytes } from '@shared/log/image-part';
import type { OutboxEntry } from '@shared/log/outbox';
import type { ReportedRun, RunAttention, RunFindings } from '@shared/runs/attention/attention';
import type { RunStats } from '@shared/runs/run-stats';
import type { FileKey, OfferedTool, StoredTask, StoreReader } from '../api';
import { exportAnnotations } from '../commands/export-annotations';
import { outboxEntry } from '../log/outbox-log';
import { askIndex } from '../projections/asked-steps';
import { readRuleCounts, readRuleSettings } from '../projections/rule-settings';
import type { IndexReader } from '../search/index-part';
import type { ScanRequest, ScanStart } from '../search/search-part';
import type { SessionHits, SessionSearch } from '../search/search-sessions';
import type { WordSearchRequest } from '../search/search-words';
import { readSession, readSessions } from '../sessions/read-sessions';
import { readSessionsAt } from '../sessions/read-sessions-at';
import type { VerifyDepth } from '../verify/verify';
import { readAllowedKinds, readOpenApprovals } from './read-approvals';
import { AttentionReader } from './read-attention';
import { readAttentionReport } from './read-attention-report';
import { bounded, findRun, type ReadContext, readEvents } from './read-context';
import { readDecidedExamples } from './read-decided-examples';
import { readEvidence } from './read-evidence';
import { readFacets } from './read-facets';
import { readFileCounts, readFileRevisions, readFiles, readFileText, readQueries } from './read-files';
import { readHints } from './read-hints';
import { readImageBytes } from './read-images';
import { readRest, readSimilar } from './read-label-previews';
import { readAnnotationPage } from './read-labels';
import {
  readCheckpoints,
  readLineageHeads,
  readLineagePrompt,
  readLineageStep,
  readLineageTiles,
} from './read-lineage';
import { type AskedSteps, countMatches, matchingSteps, nearestMatch } from './read-matches';
import { readOfferedTools } from './read-offered-tools';
import { ReviewCore } from './read-queue-core';
import { type OpenHint, readOpenHints, readRetroMask } from './read-retro-masks';
import { readRun, readRuns, resolveRun } from './read-runs';
import { readSegments } from './read-segments';
import { StatsReader } from './read-stats';
import { readTask, readTasks } from './read-tasks';

const MAX_EVENTS = 2000;

/** Search and verification have connections of their own. */
export interface ReaderParts {
  index: IndexReader;
  verify(runs?: string[], depth?: VerifyDepth): Promise<VerifyReport>;
}

/** Bounded reads on one connection. Lives in a reader's thread. */
export class ReaderCore extends ReviewCore implements StoreReader {
  private readonly attentionReader: AttentionReader;
  private readonly statsReader: StatsReader;

  constructor(
    context: ReadContext,
    private readonly parts: ReaderParts,
  ) {
    super(context);
    this.attentionReader = new AttentionReader(context);
    this.statsReader = new StatsReader(context);
  }

  runs(): Promise<RunSummary[]> {
    return this.told(readRuns(this.context));
  }

  run(run: string): Promise<RunSummary> {
    return this.read(() => readRun(this.context, run));
  }

  resolveRun(prefix: string): Promise<string> {
    return this.read(() => resolveRun(this.context, prefix));
  }

  events(run: string, fromSeq: number, limit: number): Promise<RunEvent[]> {
    return this.read(() => {
      const record = findRun(this.context, run);
      const from = bounded(fromSeq, 1, 2 ** 32 - 1, 'The first event');
      return readEvents(this.context, record, from, record.seq, bounded(limit, 0, MAX_EVENTS, 'The limit'));
    });
  }

  heads(run: string, from: number, to: number): Promise<StepHead[]> {
    return this.read(() => readLineageHeads(this.context, run, from, to));
  }

  /** Where queries ask for text, `asked` says what the index found; else the index is asked. */
  async matches(run: string, query: StepQuery, asked?: AskedSteps): Promise<number[]> {
    const steps = asked ?? (await this.asked(run, query));
    return this.read(() => matchingSteps(this.context, run, steps));
  }

  async countMatches(run: string, query: StepQuery, asked?: AskedSteps): Promise<number> {
    const steps = asked ?? (await this.asked(run, query));
    return this.read(() => countMatches(this.context, run, steps));
  }

  async nearest(
    run: string,
    queries: readonly StepQuery[],
    from: number,
    direction: 1 | -1,
    asked?: readonly AskedSteps[],
  ): Promise<{ step: number | null; total: number }> {
    const steps = asked ?? (await Promise.all(queries.map((query) => this.asked(run, query))));
    return this.read(() => nearestMatch(this.context, run, steps, from, direction));
  }

  facets(run: string): Promise<StepFacets> {
    return this.told(readFacets(this.context, run));
  }

  tiles(run: string): Promise<Tile[]> {
    return this.read(() => readLineageTiles(this.context, run));
  }

  segments(run: string): Promise<SegmentView[]> {
    return this.read(() => readSegments(this.context, run));
  }

  step(run: string, step: number): Promise<StepDetail> {
    return this.read(() => readLineageStep(this.context, run, step));
  }

  evidence(run: string, step: number): Promise<StepEvidence> {
    return this.read(() => readEvidence(this.context, run, step));
  }

  prompt(run: string, step: number): Promise<PromptView> {
    return this.read(() => readLineagePrompt(this.context, run, step));
  }

  image(run: string, sha256: string): Promise<ImageBytes> {
    return this.read(() => readImageBytes(this.context, run, sha256));
  }

  checkpoints(run: string): Promise<CheckpointView[]> {
    return this.read(() => readCheckpoints(this.context, run));
  }

  openApprovals(run: string): Promise<ApprovalAsked[]> {
    return this.read(() => readOpenApprovals(this.context, run));
  }

  allowedKinds(run: string): Promise<string[]> {
    return this.read(() => readAllowedKinds(this.context, run));
  }

  hints(run: string): Promise<RunHints> {
    return this.read(() => readHints(this.context, run));
  }

  outbox(run: string, afterId: number): Promise<OutboxEntry[]> {
    return this.read(() =>
      this.context.statements
        .all<{ id: number; body: string }>(
          "SELECT id, body FROM outbox WHERE run = ? AND id > ? AND body <> '' ORDER BY id LIMIT 1000",
          findRun(this.context, run).id,
          afterId,
        )
        .map(outboxEntry),
    );
  }

  outboxHead(run: string): Promise<number> {
    return this.read(
      () =>
        this.context.statements.get<{ id: number | null }>(
          "SELECT max(id) AS id FROM outbox WHERE run = ? AND body <> ''",
          findRun(this.context, run).id,
        )?.id ?? 0,
    );
  }

  entry(ulid: string): Promise<{ outbox: OutboxEntry } | { annotation: AnnotationEntry } | null> {
    return this.read(() => {
      const { statements } = this.context;
      const posted = statements.get<{ id: number; body: string }>(
        "SELECT id, body FROM outbox WHERE ulid = ? AND body <> ''",
        ulid,
      );
      if (posted !== undefined) {
        return { outbox: outboxEntry(posted) };
      }
      const annotated = statements.get<{ body: string }>(
        'SELECT body FROM annotation WHERE ulid = ? AND purged = 0',
        ulid,
      );
      return annotated === undefined ? null : { annotation: JSON.parse(annotated.body) as AnnotationEntry };
    });
  }

  sessions(run: string): Promise<SessionView[]> {
    return this.told(readSessions(this.context, run));
  }

  sessionsAt(run: string, step: number): Promise<SessionAt[]> {
    return this.read(() => readSessionsAt(this.context, run, step));
  }

  readSession(
    run: string,
    uid: string,
    offset: number,
    maxBytes: number,
  ): Promise<{ offset: number; bytes: Uint8Array; endOffset: number }> {
    return this.read(() => readSession(this.context, run, uid, offset, maxBytes));
  }

  files(run: string, page: { filter: string; offset: number; limit: number }): Promise<FilePage> {
    return this.read(() => readFiles(this.context, run, page));
  }

  fileRevisions(
    run: string,
    file: FileKey,
    at: { step: number } | { revision: number } | null,
    limit: number,
  ): Promise<RevisionPage> {
    return this.read(() => readFileRevisions(this.context, run, file, at, limit));
  }

  fileCounts(run: string, file: FileKey, revisions: readonly number[]): Promise<LineCounts[]> {
    return this.read(() => readFileCounts(this.context, run, file, revisions));
  }

  fileText(run: string, file: FileKey, revision: number): Promise<FileContent> {
    return this.read(() => readFileText(this.context, run, file, revision));
  }

  queries(run: string): Promise<QueryView[]> {
    return this.read(() => readQueries(this.context, run));
  }

  search(request: WordSearchRequest): Promise<SearchPage> {
    return this.told(this.parts.index.search(request));
  }

  stepsMatching(run: string, query: string): Promise<number[]> {
    return this.told(this.parts.index.stepsMatching(run, query));
  }

  searchWorkspace(query: string, limit: number): Promise<WorkspaceHits> {
    return this.told(this.parts.index.searchWorkspace(query, limit));
  }

  startScan(request: ScanRequest): Promise<ScanStart> {
    return this.told(this.parts.index.startScan(request));
  }

  scanNews(scan: number, after: number): Promise<ScanNews> {
    return this.told(this.parts.index.scanNews(scan, after));
  }

  stopScan(scan: number): Promise<void> {
    return this.parts.index.stopScan(scan);
  }

  indexProgress(): Promise<IndexProgress> {
    return this.told(this.parts.index.indexProgress());
  }

  searchSessions(search: SessionSearch): Promise<SessionHits> {
    return this.parts.index.searchSessions(search);
  }

  annotations(run: string): Promise<AnnotationEntry[]> {
    return this.read(() =>
      this.context.statements
        .all<{ body: string }>(
          'SELECT body FROM annotation WHERE run = ? AND purged = 0 ORDER BY id',
          findRun(this.context, run).id,
        )
        .map(({ body }) => JSON.parse(body) as AnnotationEntry),
    );
  }

  openHints(run: string, author: string): Promise<OpenHint[]> {
    return this.read(() => readOpenHints(this.context, run, author));
  }

  retroMask(run: string, hint: OpenHint): Promise<RetroMask | null> {
    return this.read(() => readRetroMask(this.context, run, hint));
  }

  decidedExamples(run: string): Promise<DecidedExamples[]> {
    return this.read(() => readDecidedExamples(this.context, run));
  }

  annotationPage(run: string, after: number): Promise<{ entries: AnnotationEntry[]; last: number | null }> {
    return this.read(() => readAnnotationPage(this.context, run, after));
  }

  similarSteps(run: string, step: number): Promise<SimilarSteps> {
    return this.read(() => readSimilar(this.context, run, step));
  }

  undecidedSteps(run: string, from: number, to: number): Promise<LabelPreview> {
    return this.read(() => readRest(this.context, run, from, to));
  }

  offeredTools(run: string, step: number): Promise<OfferedTool[]> {
    return this.read(() => readOfferedTools(this.context, run, step));
  }

  exportAnnotations(path: string): Promise<number> {
    return this.told(exportAnnotations(this.context, path));
  }

  tasks(): Promise<StoredTask[]> {
    return this.read(() => readTasks(this.context));
  }

  task(id: string): Promise<StoredTask> {
    return this.read(() => readTask(this.context, id));
  }

  stats(run: string): Promise<RunStats> {
    return this.told(this.statsReader.stats(run));
  }

  ruleSettings(task: string): Promise<StoredRuleSettings | null> {
    return this.read(() => readRuleSettings(this.context.statements, task));
  }

  ruleCounts(run: string): Promise<Partial<Record<string, number>>> {
    return this.read(() => readRuleCounts(this.context.statements, findRun(this.context, run).id));
  }

  ruleProgress(task: string): Promise<RuleProgress> {
    return this.parts.index.ruleProgress(task);
  }

  previewRules(runs: string[], settings: RuleSettings): Promise<RulePreview> {
    return this.parts.index.previewRules(runs, settings);
  }

  attention(run: string): Promise<RunFindings> {
    return this.told(this.attentionReader.findings(run));
  }

  attentionList(author: string): Promise<RunAttention[]> {
    return this.told(this.attentionReader.list(author));
  }

  attentionReport(from: number, to: number): Promise<ReportedRun[]> {
    return this.told(readAttentionReport(this.context, this.attentionReader, from, to));
  }

  private asked(run: string, query: StepQuery): Promise<AskedSteps> {
    return askIndex((of, text) => this.stepsMatching(of, text), run, query);
  }

  async verify(runs?: string[], depth?: VerifyDepth): Promise<VerifyReport> {
    return this.parts.verify(runs, depth);
  }
}
