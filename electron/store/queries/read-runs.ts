import { asOneLine } from '@shared/base/clean-text';
import { WaymarkError } from '@shared/contract/errors';
import { isId } from '@shared/contract/id';
import type { RunSummary, RunState as RunWord } from '@shared/contract/views';
import { hasEnded } from '@shared/runs/run-status';
import { finalScore } from '@shared/runs/scores';
import { WorkingTime } from '@shared/runs/working-time';
import { LAST_SEQ } from '../file/rows';
import {
  findRun,
  isImported,
  parseRun,
  type ReadContext,
  RUN_SELECT,
  type RunRecord,
  type RunRow,
} from './read-context';
import { tileRows } from './read-heads';
import { applyTiming, timingRows } from './timing-rows';

/** Runs between two turns of other reads. */
const PAGE = 200;

/** All of them, the newest first: what cleans up after runs takes one that is missing here for a removed one. */
export async function readRuns(context: ReadContext): Promise<RunSummary[]> {
  const runs: RunSummary[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = context.statements.all<RunRow>(
      `${RUN_SELECT} WHERE r.id < ? ORDER BY r.id DESC LIMIT ${PAGE}`,
      before,
    );
    // A row that names no run is not shown as one; the writer has said so (`quarantine`).
    runs.push(...page.filter(({ ulid }) => isId(ulid)).map((row) => summarise(context, parseRun(row))));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return runs;
    before = last.id;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export function readRun(context: ReadContext, ulid: string): RunSummary {
  return summarise(context, findRun(context, ulid));
}

function noRun(prefix: string): string {
  return `There is no run "${prefix}" in this workspace. "waymark run list" shows the runs it has.`;
}

/** Runs that a word fits and that are named, the latest. */
const namedRuns = 10;

/** Full ULID for a unique prefix, case ignored. Throws `not_found` or `bad_input` when it is ambiguous. */
export function resolveRun(context: ReadContext, prefix: string): string {
  const wanted = prefix.toUpperCase();
  if (!/^[0-9A-Z]{1,26}$/.test(wanted)) {
    throw new WaymarkError('not_found', noRun(prefix));
  }
  const found = context.statements.all<{ ulid: string; title: string }>(
    `SELECT r.ulid, json_extract(h.facts, '$.title') AS title FROM run r JOIN run_head h ON h.run = r.id
     WHERE r.ulid >= ? AND r.ulid < ? ORDER BY r.ulid DESC`,
    wanted,
    `${wanted}\uffff`,
  );
  const [first, second] = found;
  if (first === undefined) {
    throw new WaymarkError('not_found', noRun(prefix));
  }
  if (second !== undefined) {
    const left = found.length - namedRuns;
    const named = found.slice(0, namedRuns).map(({ ulid, title }) => `${ulid}  ${asOneLine(title)}`);
    throw new WaymarkError(
      'bad_input',
      `"${prefix}" fits ${found.length} runs. Type more of the id.`,
      [...named, ...(left > 0 ? [`and ${left} older`] : [])].join('\n'),
    );
  }
  return first.ulid;
}

/** The one word for what a run does now. */
export function runWord(context: ReadContext, run: RunRecord): RunWord {
  const { status, activity } = run.state;
  if (status !== null && hasEnded(status)) {
    return status as RunWord;
  }
  if (status === null && isImported(context, run)) {
    return importWord(context, run.ulid);
  }
  // Who creates a run holds its lock for that long; what has no status has never been driven.
  if (run.epoch === 0 || (status === null && !context.isDriven(run.ulid))) {
    return 'created';
  }
  if (status === 'paused') {
    return 'paused';
  }
  if (!context.isDriven(run.ulid)) {
    return 'undriven';
  }
  if (status === 'waiting_host' || status === 'waiting_human') {
    return status;
  }
  return activity === 'none' ? 'thinking' : activity;
}

/**
 * The last event of every import is the run's status: without one it goes on, or the process that did it is gone. The
 * status is asked for once more after the lock, as the import may have ended between the two.
 */
function importWord(context: ReadContext, ulid: string): RunWord {
  if (context.isDriven(ulid)) {
    return 'importing';
  }
  const { status } = findRun(context, ulid).state;
  return status === null ? 'import_broken' : (status as RunWord);
}

function summarise(context: ReadContext, run: RunRecord): RunSummary {
  const { state } = run;
  const facts = { ...run.facts, ...state.changed };
  // Limits change all together; this one is absent where there is none.
  const { maxTrainingMs } = state.changed.maxSteps === undefined ? run.facts : state.changed;
  const word = runWord(context, run);
  const ended = hasEnded(word);
  return {
    id: run.ulid,
    title: facts.title,
    task: facts.task,
    model: facts.model,
    state: word,
    stored: state.status,
    reason: state.reason,
    message: state.message,
    until: word === 'sleeping' || word === 'thinking' ? state.until : null,
    createdAt: run.createdAt,
    changedAt: run.changedAt,
    steps: state.steps,
    taken: state.taken,
    events: run.seq,
    seq: run.seq,
    segments: state.segments,
    scores: {
      best: state.scores.best,
      final: ended ? finalScore(state.scores) : state.scores.final,
      ...(state.scores.finalUnavailable === true ? { finalUnavailable: true as const } : {}),
      last: state.scores.last,
      tries: state.tries,
      maxTries: facts.maxTries,
    },
    workingMs: workingMs(context, run, word),
    maxWorkingMs: facts.maxWorkingMs,
    ...(maxTrainingMs === undefined ? {} : { maxTrainingMs }),
    maxSteps: facts.maxSteps,
    tokens: { ...state.tokens, contextLimit: facts.contextLimit },
    maxTokens: facts.maxTokens,
    cost: state.cost,
    maxCost: facts.maxCost,
    endpoint: facts.endpoint,
    parent: facts.parent,
    runningOn: runningOn(context, run, word),
    checkpoints: state.checkpoints,
    hints: hintCounts(context, run.id),
    labels: labelCounts(context, run),
    computers: facts.computers,
    evaluatorIsolated: facts.evaluatorIsolated,
    ...(state.protectedChanged === undefined ? {} : { protectedChanged: state.protectedChanged }),
  };
}

/** By `WorkingTime` over the few events it counts by. Time of a driver that died ends with its last event. */
function workingMs(context: ReadContext, run: RunRecord, word: RunWord): number {
  const time = new WorkingTime();
  for (const row of timingRows(context, run.id, 0, LAST_SEQ)) applyTiming(time, row);
  return time.ms(word === 'undriven' ? run.changedAt : context.now());
}

/** Sessions that were busy when they were last looked at; none once the run has ended. */
function runningOn(context: ReadContext, run: RunRecord, word: RunWord): RunSummary['runningOn'] {
  if (hasEnded(word)) {
    return [];
  }
  return context.statements.all<{ computer: string; session: string }>(
    "SELECT computer, name AS session FROM session WHERE run = ? AND state = 'busy' ORDER BY computer, name",
    run.id,
  );
}

function hintCounts(context: ReadContext, run: number): RunSummary['hints'] {
  const counts = { queued: 0, delivered: 0, undelivered: 0 };
  const rows = context.statements.all<{ state: keyof typeof counts; n: number }>(
    "SELECT state, count(*) AS n FROM hint WHERE run = ? AND state <> 'withdrawn' GROUP BY state",
    run,
  );
  for (const { state, n } of rows) {
    counts[state] = n;
  }
  return counts;
}

function labelCounts(context: ReadContext, run: RunRecord): RunSummary['labels'] {
  const counts = { train: 0, mask: 0, undecided: 0, disagreement: 0 };
  for (const { n, train, mask, disagreement } of tileRows(context, run)) {
    counts.train += train;
    counts.mask += mask;
    counts.undecided += n - train - mask;
    counts.disagreement += disagreement;
  }
  return counts;
}
