import type { RuleSettings } from '@shared/contract/rules/rule-settings';
import type { StepQuery } from '@shared/contract/step-query';
import { joined } from '@shared/contract/step-range';
import type { VerifyReport } from '@shared/contract/views';
import type { RubricKind } from '@shared/judging/rubric-text';
import type { Author } from '@shared/log/annotations';
import type { RunEvent } from '@shared/log/events';
import { exportAnnotations } from '../commands/export-annotations';
import { LAST_SEQ } from '../file/rows';
import { readDwell } from '../log/dwell-log';
import {
  type HeldBatch,
  readBatch,
  readBatches as readJudgeBatches,
  readJudgedRequest,
  readStopAsked,
} from '../log/judge-batches';
import { readRubric, readRubricsOf } from '../log/rubric-settings';
import { readTried, readTriers, type TriedBy } from '../log/trial-verdicts';
import { readRuleCounts, readRuleSettings } from '../projections/rule-settings';
import type { ScanRequest } from '../search/search-part';
import type { SessionSearch } from '../search/search-sessions';
import type { WordSearchRequest } from '../search/search-words';
import { readSession, readSessions } from '../sessions/read-sessions';
import { readSessionsAt } from '../sessions/read-sessions-at';
import type { VerifyDepth } from '../verify/verify-context';
import {
  blindAnnotationPage,
  blindAnnotations,
  blindCount,
  blindEntry,
  blindExamples,
  blindExperiment,
  blindFacets,
  blindHeads,
  blindJudgeQuality,
  blindMatches,
  blindNearest,
  blindPreview,
  blindRetroMask,
  blindRuleCounts,
  blindRulePreview,
  blindRun,
  blindRuns,
  blindSearch,
  blindSegments,
  blindSimilar,
  blindStats,
  blindStep,
  blindTiles,
} from './blind';
import { type IndexReads, type OtherThreads, type Query, query, queryAfter } from './query';
import type { QueuePlace } from './queue/read-queue';
import { readBatches } from './queue/read-queue-batches';
import { readAnnotators, readPersonNames } from './queue/read-queue-people';
import { readAllowedKinds, readOpenApprovals } from './read-approvals';
import { readAttentionReport } from './read-attention-report';
import { bounded, findRun, type ReadContext, readEvents } from './read-context';
import { readDecidedExamples } from './read-decided-examples';
import { readAnnotations, readEntry, readOutbox, readOutboxHead } from './read-entries';
import { readEvidence } from './read-evidence';
import { readExperiment, readExperiments } from './read-experiments';
import { readFacets } from './read-facets';
import { readFileCounts, readFileRevisions, readFiles, readFileText, readQueries } from './read-files';
import { readHints } from './read-hints';
import { readImageBytes } from './read-images';
import { readJudgeQuality } from './read-judge-quality';
import { readRest, readSimilar } from './read-label-previews';
import { readAnnotationPage } from './read-labels';
import {
  readCheckpoints,
  readJudgedTurns,
  readLineageHeads,
  readLineagePrompt,
  readLineageStep,
  readLineageTiles,
  readRewardedStep,
} from './read-lineage';
import { type AskedSteps, countMatches, matchingSteps, nearestMatch } from './read-matches';
import { readOfferedTools } from './read-prompt';
import { readOpenHints, readRetroMask } from './read-retro-masks';
import { readRun, readRuns, resolveRun } from './read-runs';
import { readSegments } from './read-segments';
import { readTaskOverlap } from './read-task-overlap';
import { readTask, readTasks } from './read-tasks';
import type { Reads } from './reads';

/**
 * Every read of the store, one row each: which thread answers it, what somebody who is to decide steps blind gets, and the
 * function that does the work. `StoreReader`, what threads answer and what a window may know are derived from this table. All of
 * it is bounded: ranges are cut at the limits given, and the caller asks again.
 */
export const queries = {
  runs: query({ thread: 'read', isEarly: true, blind: blindRuns, run: readRuns }),
  run: query({ thread: 'read', isEarly: true, blind: blindRun, run: readRun }),
  /** Full ULID for a unique prefix; `not_found` or `bad_input` (ambiguous) else. */
  resolveRun: query({ thread: 'read', blind: 'holds no opinions', run: resolveRun }),
  /** Events `[fromSeq, ...]` in order, at most `limit` (≤ 2,000) and about 8 MB. */
  events: query({ thread: 'read', blind: 'holds no opinions', run: eventsFrom }),
  heads: query({ thread: 'read', isEarly: true, blind: blindHeads, run: readLineageHeads }),
  /** Numbers of all steps that match, ascending. */
  matches: queryAfter({ thread: 'read', blind: blindMatches, first: askIndex, run: readMatches }),
  countMatches: queryAfter({ thread: 'read', blind: blindCount, first: askIndex, run: readCount }),
  /** The nearest step from `from` on for which one of the queries holds, and for how many one does. */
  nearest: queryAfter({ thread: 'read', blind: blindNearest, first: askIndexForAll, run: readNearest }),
  /** What filters can be set to in this run. */
  facets: query({ thread: 'read', blind: blindFacets, run: readFacets }),
  tiles: query({ thread: 'read', isEarly: true, blind: blindTiles, run: readLineageTiles }),
  segments: query({ thread: 'read', isEarly: true, blind: blindSegments, run: readSegments }),
  step: query({ thread: 'read', isEarly: true, blind: blindStep, run: readLineageStep }),
  /** Steps `from..to` as a judge reads them, at most `TURNS_TOGETHER`. */
  judgedTurns: query({ thread: 'read', blind: 'never for a window', run: readJudgedTurns }),
  /** A step with its exact prompt, as whoever rates it reads it; null: it is a summary, or cannot be shown as it was. */
  rewardedStep: query({ thread: 'read', blind: 'never for a window', run: readRewardedStep }),
  evidence: query({ thread: 'read', blind: 'holds no opinions', run: readEvidence }),
  prompt: query({ thread: 'read', blind: 'holds no opinions', run: readLineagePrompt }),
  /** An image that the run's log names, by the sha256 (hex) of its file. */
  image: query({ thread: 'read', blind: 'holds no opinions', run: readImageBytes }),
  /** Of the run itself, oldest first. */
  checkpoints: query({ thread: 'read', blind: 'holds no opinions', run: readCheckpoints }),
  /** What the run waits for a person's word on, oldest first. */
  openApprovals: query({ thread: 'read', blind: 'holds no opinions', run: readOpenApprovals }),
  /** Kinds of actions that a person allowed for the rest of the run, oldest first. */
  allowedKinds: query({ thread: 'read', blind: 'holds no opinions', run: readAllowedKinds }),
  hints: query({ thread: 'read', isEarly: true, blind: 'holds no opinions', run: readHints }),
  outbox: query({ thread: 'read', blind: 'holds no opinions', run: readOutbox }),
  outboxHead: query({ thread: 'read', blind: 'holds no opinions', run: readOutboxHead }),
  /** The entry of outbox or annotation log with this id, whichever has it; null when it is not stored. */
  entry: query({ thread: 'read', blind: blindEntry, run: readEntry }),
  sessions: query({ thread: 'read', blind: 'holds no opinions', run: readSessions }),
  /** Those that were open or had ended when the step was over. */
  sessionsAt: query({ thread: 'read', blind: 'holds no opinions', run: readSessionsAt }),
  readSession: query({ thread: 'read', blind: 'holds no opinions', run: readSession }),
  files: query({ thread: 'read', blind: 'holds no opinions', run: readFiles }),
  /** The page of at most `limit` (≤ 200) revisions around what was in force then; null = the last ones. */
  fileRevisions: query({ thread: 'read', blind: 'holds no opinions', run: readFileRevisions }),
  /** Counts the first of `revisions` and as many more as a moment allows. */
  fileCounts: query({ thread: 'read', blind: 'holds no opinions', run: readFileCounts }),
  /** A file at a revision; 0 = before the first change. */
  fileText: query({ thread: 'read', blind: 'holds no opinions', run: readFileText }),
  queries: query({ thread: 'read', blind: 'holds no opinions', run: readQueries }),
  /** Entries about a run in the order they were stored, at most 20,000; `after` is the `last` of the page before. */
  annotationPage: query({ thread: 'read', blind: blindAnnotationPage, run: readAnnotationPage }),
  annotations: query({ thread: 'read', blind: blindAnnotations, run: readAnnotations }),
  similarSteps: query({ thread: 'read', blind: blindSimilar, run: readSimilar }),
  undecidedSteps: query({ thread: 'read', blind: blindPreview, run: readRest }),
  /** What the model could call when it made the step; empty when the log does not say. */
  offeredTools: query({ thread: 'read', blind: 'holds no opinions', run: readOfferedTools }),
  /** Writes the whole annotation log into a file; returns how many entries. */
  exportAnnotations: query({ thread: 'read', blind: 'never for a window', run: exportAnnotations }),
  /** What waits for a person; `open`: a run that counts when nobody was assigned to it. */
  queueView: query({
    thread: 'read',
    isEarly: true,
    blind: 'answers for the person it names',
    run: ({ queue }, person: Author, open: string | null) => queue.view(person, open),
  }),
  queueNext: query({
    thread: 'read',
    blind: 'answers for the person it names',
    run: ({ queue }, person: Author, open: string | null, from: QueuePlace | null, direction: 1 | -1) =>
      queue.next(person, open, from, direction),
  }),
  /** Of steps `from..to`, those whose opinions the person may not be sent; null when there is none. */
  withheld: query({
    thread: 'read',
    isEarly: true,
    blind: 'answers for the person it names',
    run: ({ withheld }, run: string, person: Author, from: number, to: number) =>
      withheld.of(run, person, from, to),
  }),
  withheldRuns: query({
    thread: 'read',
    isEarly: true,
    blind: 'answers for the person it names',
    run: ({ withheld }, person: Author) => withheld.runs(person),
  }),
  /** Batches of judges that can be read, the newest first, at most so many. */
  judgeBatches: query({
    thread: 'read',
    blind: 'never for a window',
    run: ({ statements }, most: number) =>
      readJudgeBatches(statements, bounded(most, 1, 1_000, 'The number of batches')),
  }),
  judgeBatch: query({
    thread: 'read',
    blind: 'never for a window',
    run: ({ statements }, batch: string) => readBatch(statements, batch),
  }),
  /** Whether this process, which works on the batch, is to end it. */
  stopAsked: query({
    thread: 'read',
    blind: 'holds no opinions',
    run: ({ statements }, held: HeldBatch) => readStopAsked(statements, held),
  }),
  /** What the request with this hash (hex) showed and asked; null: the batch had no answer to it. */
  judgedRequest: query({
    thread: 'read',
    blind: 'never for a window',
    run: ({ statements }, batch: string, sha256: string) => readJudgedRequest(statements, batch, sha256),
  }),
  /** Verdicts of a rubric that is tried, on steps that the run made itself, ascending. */
  triedSteps: query({
    thread: 'read',
    blind: 'never for a window',
    run: ({ statements }, run: string, by: TriedBy) => readTried(statements, run, by),
  }),
  /** Judges that tried the rubric with this version on steps that the run made itself. */
  triers: query({
    thread: 'read',
    blind: 'never for a window',
    run: ({ statements }, run: string, rubric: string) => readTriers(statements, run, rubric),
  }),
  /** The rubric that is kept for judging a task's steps or summaries; null: the application's own. */
  rubric: query({
    thread: 'read',
    blind: 'holds no opinions',
    run: ({ statements }, task: string, kind: RubricKind) => readRubric(statements, task, kind),
  }),
  /** Those of both kinds that are kept for some of the tasks. */
  rubricsOf: query({
    thread: 'read',
    blind: 'holds no opinions',
    run: ({ statements }, tasks: readonly string[]) => readRubricsOf(statements, tasks),
  }),
  /** How good judges are, on the steps of these runs; `hidden`, by run, are left out. It gives way to other reads. */
  judgeQuality: query({ thread: 'read', blind: blindJudgeQuality, run: readJudgeQuality }),
  batches: query({
    thread: 'read',
    blind: 'holds no opinions',
    run: ({ assignments }) => readBatches(assignments),
  }),
  /** Steps of a run's range that somebody is to review. */
  assignedSteps: query({
    thread: 'read',
    blind: 'holds no opinions',
    run: (reads, run: string) => joined(reads.assignments.of(findRun(reads, run).id)),
  }),
  annotators: query({
    thread: 'read',
    blind: 'holds no opinions',
    run: (reads) => readAnnotators(reads, reads.assignments),
  }),
  /** Names that a judge should not be given: see `readPersonNames`. */
  personNames: query({
    thread: 'read',
    blind: 'holds no opinions',
    run: (reads, asked: { names: readonly string[]; asking: string }) =>
      readPersonNames(reads, reads.assignments, asked),
  }),
  people: query({
    thread: 'read',
    blind: 'answers for the person it names',
    run: ({ people }, viewer: Author, runs: readonly string[]) => people.report(viewer, runs),
  }),
  /** A person's (uuid) own times, the newest first. */
  dwell: query({
    thread: 'read',
    blind: 'answers for the person it names',
    run: ({ statements }, author: string) => readDwell(statements, author),
  }),
  /** Delivered hints that may contradict earlier steps and wait for this person's (uuid) word. */
  openHints: query({ thread: 'read', blind: 'holds no opinions', run: readOpenHints }),
  /** What one of them contradicts; null when its steps are gone. */
  retroMask: query({ thread: 'read', blind: blindRetroMask, run: readRetroMask }),
  /** Steps decided for a reason, by reason. */
  decidedExamples: query({ thread: 'read', blind: blindExamples, run: readDecidedExamples }),
  tasks: query({ thread: 'read', blind: 'holds no opinions', run: readTasks }),
  task: query({ thread: 'read', blind: 'holds no opinions', run: readTask }),
  /** What the workspace says about the rules of a task; null: nothing. */
  ruleSettings: query({
    thread: 'read',
    blind: 'holds no opinions',
    run: ({ statements }, task: string) => readRuleSettings(statements, task),
  }),
  /** Steps that each rule speaks about in a run. */
  ruleCounts: query({
    thread: 'read',
    blind: blindRuleCounts,
    run: (reads: Reads, run: string) => readRuleCounts(reads.statements, findRun(reads, run).id),
  }),
  /** Figures for plots: bounded, up to the run's head. */
  stats: query({
    thread: 'read',
    blind: blindStats,
    run: ({ stats }: Reads, run: string) => stats.stats(run),
  }),
  /** Every experiment that runs name, the newest first. */
  experiments: query({ thread: 'read', blind: 'holds no opinions', run: readExperiments }),
  /** Its runs with scores, hours, cost and hints; `not_found` where no run names it. */
  experiment: query({ thread: 'read', blind: blindExperiment, run: readExperiment }),
  /** Tasks of one set that are in another, by name, package or description. */
  taskOverlap: query({ thread: 'read', blind: 'holds no opinions', run: readTaskOverlap }),
  /** What wants a person's eye in a run, up to its head. */
  attention: query({
    thread: 'read',
    blind: 'holds no opinions',
    run: ({ attention }, run: string) => attention.findings(run),
  }),
  /** Per run what is new to a person (uuid); a long run that was never looked at comes bit by bit (`behind`). */
  attentionList: query({
    thread: 'read',
    blind: 'holds no opinions',
    run: ({ attention }, author: string) => attention.list(author),
  }),
  /** What each run did in `[from, to)`, wall-clock ms. */
  attentionReport: query({
    thread: 'read',
    blind: 'holds no opinions',
    run: (reads, from: number, to: number) => readAttentionReport(reads, reads.attention, from, to),
  }),
  /** Hits of words in a run, with snippets, and how many there are. */
  search: query({
    thread: 'index',
    blind: blindSearch,
    run: ({ search }: IndexReads, request: WordSearchRequest) => search.page(request),
  }),
  /** Numbers of all steps of a run that a query of words finds, ascending; none for a query that cannot be searched. */
  stepsMatching: query({
    thread: 'index',
    blind: 'holds no opinions',
    run: ({ search }, run: string, query: string) => search.stepsMatching(run, query),
  }),
  /** The first hits of every run. */
  searchWorkspace: query({
    thread: 'index',
    blind: 'holds no opinions',
    run: ({ search }, query: string, limit: number) => search.workspace(query, limit),
  }),
  /** Begins to look through all steps for a pattern, and through terminals for anything; ends the scan before. */
  startScan: query({
    thread: 'index',
    blind: blindSearch,
    run: ({ search }: IndexReads, request: ScanRequest) => search.start(request),
  }),
  /** What a scan found from hit number `after` on; waits a moment for news. @throws WaymarkError cancelled */
  scanNews: query({
    thread: 'index',
    blind: 'holds no opinions',
    run: ({ search }, scan: number, after: number) => search.news(scan, after),
  }),
  stopScan: query({
    thread: 'index',
    blind: 'holds no opinions',
    run: ({ search }, scan: number) => search.stop(scan),
  }),
  indexProgress: query({ thread: 'index', blind: 'holds no opinions', run: (index) => index.progress() }),
  /**
   * Lines of the stored output that contain the text, ignoring case. A newer search ends an older one, which then
   * answers with what it has and `truncated`.
   */
  searchSessions: query({
    thread: 'index',
    blind: 'holds no opinions',
    run: (index, search: SessionSearch) => index.searchSessions(search),
  }),
  /** How far the verdicts of a task's runs are derived with the settings in force. */
  ruleProgress: query({
    thread: 'index',
    blind: 'holds no opinions',
    run: ({ rules }, task: string) => rules.progress(task),
  }),
  /** What other settings would change; a newer preview ends an older one, which then answers `superseded`. */
  previewRules: query({
    thread: 'index',
    blind: blindRulePreview,
    run: ({ rules }: IndexReads, runs: string[], settings: RuleSettings) => rules.preview(runs, settings),
  }),
  verify: queryAfter({
    thread: 'index',
    blind: 'holds no opinions',
    first: drainForVerify,
    run: (
      index: IndexReads,
      _drained: unknown,
      runs?: string[],
      depth?: VerifyDepth,
    ): Promise<VerifyReport> => index.verify(runs, depth),
  }),
} as const;

type Queries = typeof queries;
export type QueryName = keyof Queries;

/** Every read by its name, as others ask it. */
export type StoreReader = {
  [Name in QueryName]: Queries[Name] extends Query<infer Args, infer Answer>
    ? (...args: Args) => Promise<Answer>
    : never;
};

function eventsFrom(context: ReadContext, run: string, fromSeq: number, limit: number): RunEvent[] {
  const record = findRun(context, run);
  const from = bounded(fromSeq, 1, LAST_SEQ, 'The first event');
  return readEvents(context, record, from, record.seq, bounded(limit, 0, 2000, 'The limit'));
}

/** Asks the search index what a query's `text` finds in a run; a query without text needs no index. */
async function askIndex(others: OtherThreads, run: string, query: StepQuery): Promise<AskedSteps> {
  const text = query.text?.trim() ?? '';
  return { query, found: text === '' ? null : await others.stepsMatching(run, text) };
}

function askIndexForAll(
  others: OtherThreads,
  run: string,
  queries: readonly StepQuery[],
  _from: number,
  _direction: 1 | -1,
): Promise<AskedSteps[]> {
  return Promise.all(queries.map((query) => askIndex(others, run, query)));
}

function readMatches(context: ReadContext, asked: AskedSteps, run: string, _query: StepQuery): number[] {
  return matchingSteps(context, run, asked);
}

function readCount(context: ReadContext, asked: AskedSteps, run: string, _query: StepQuery): number {
  return countMatches(context, run, asked);
}

function readNearest(
  context: ReadContext,
  asked: readonly AskedSteps[],
  run: string,
  _queries: readonly StepQuery[],
  from: number,
  direction: 1 | -1,
): { step: number | null; total: number } {
  return nearestMatch(context, run, asked, from, direction);
}

/** Labels that are still being derived would look like damage. */
async function drainForVerify(others: OtherThreads, _runs?: string[], depth?: VerifyDepth): Promise<void> {
  if (depth !== 'logs') await others.drainWrites();
}
