import { WaymarkError } from '@shared/contract/errors';
import { isId } from '@shared/contract/id';
import type {
  ExperimentListing,
  ExperimentRun,
  HintEffect,
  TimedScore,
} from '@shared/experiments/experiment-run';
import type { HintCategory } from '@shared/log/outbox';
import { hasEnded } from '@shared/runs/run-status';
import { finalScore } from '@shared/runs/scores';
import { WorkingTime } from '@shared/runs/working-time';
import { LAST_SEQ, rowId } from '../file/rows';
import { FOLD_VERSION } from '../log/run-state';
import { parseRun, type ReadContext, type RunRecord, type RunRow } from './read-context';
import { applyTiming, type TimingRow } from './timing-rows';

/** Keys of a run's rows, for joins with a list of runs. */
const FIRST = rowId(1, 0);
const inRun = (id: string, run = 'asked.value') =>
  `${id} BETWEEN ${run} * ${FIRST} AND ${run} * ${FIRST} + ${LAST_SEQ}`;

/** Every experiment that some run names, the newest first. */
export function readExperiments({ statements }: ReadContext): ExperimentListing[] {
  const rows = statements.all<{
    name: string;
    arm: string | null;
    task: string;
    status: RunRecord['state']['status'];
    createdAt: number;
  }>(
    `SELECT json_extract(e.body, '$.experiment') AS name, json_extract(e.body, '$.arm') AS arm,
       json_extract(e.body, '$.task.id') AS task, json_extract(h.state, '$.status') AS status, r.created_at AS createdAt
     FROM run r JOIN run_head h ON h.run = r.id JOIN event e ON e.id = r.id * ${FIRST} + 1
     WHERE e.kind = 'run.created' AND json_extract(e.body, '$.experiment') IS NOT NULL`,
  );
  return [...grouped(rows, ({ name }) => name)]
    .map(([name, runs]) => ({
      name,
      runs: runs.length,
      arms: new Set(runs.map(({ arm }) => arm)).size,
      tasks: new Set(runs.map(({ task }) => task)).size,
      ended: runs.filter(({ status }) => status !== null && hasEnded(status)).length,
      createdAt: Math.max(...runs.map(({ createdAt }) => createdAt)),
    }))
    .sort((a, b) => b.createdAt - a.createdAt || (a.name < b.name ? -1 : 1));
}

interface Created {
  hash: string;
  arm: string | null;
  group: string | null;
  sample: number | null;
  seed: number | null;
  taskHint: ExperimentRun['taskHint'];
  humanHints: boolean;
}

/**
 * The runs of an experiment, oldest first, by one question for each kind of row and none for each run.
 * @throws WaymarkError not_found
 */
export function readExperiment(context: ReadContext, name: string): ExperimentRun[] {
  const runs = context.statements
    .all<RunRow & { created: string }>(
      `SELECT r.id, r.ulid, r.created_at, h.changed_at, h.seq, h.epoch, h.facts, h.state,
         json_object('hash', json_extract(e.body, '$.task.hash'), 'arm', json_extract(e.body, '$.arm'), 'group', json_extract(e.body, '$.group'),
           'sample', json_extract(e.body, '$.sample'), 'seed', json_extract(e.body, '$.seed'),
           'taskHint', json_extract(e.body, '$.taskHint'),
           'humanHints', json(iif(json_extract(e.body, '$.humanHints'), 'true', 'false'))) AS created
       FROM run r JOIN run_head h ON h.run = r.id JOIN event e ON e.id = r.id * ${FIRST} + 1
       WHERE e.kind = 'run.created' AND json_extract(e.body, '$.experiment') = ? ORDER BY r.id`,
      name,
    )
    .filter(({ ulid }) => isId(ulid));
  if (runs.length === 0) {
    throw new WaymarkError(
      'not_found',
      `No run belongs to an experiment "${name}". "waymark experiment list" shows the experiments of this workspace.`,
    );
  }
  const rows = rowsOf(context, JSON.stringify(runs.map(({ id }) => id)));
  return runs.map((row) => runOf(context, parseRun(row), JSON.parse(row.created) as Created, rows));
}

interface ScoreRow {
  id: number;
  step: number;
  score: number;
  at: number;
}

interface HintRow {
  run: number;
  category: HintCategory;
  text: string;
  step: number;
}

function grouped<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return groups;
}

type Rows = ReturnType<typeof rowsOf>;

function rowsOf({ statements }: ReadContext, asked: string) {
  const runs = 'FROM json_each(?) AS asked CROSS JOIN';
  const byId = ({ id }: { id: number }) => Math.floor(id / FIRST);
  const byRun = ({ run }: { run: number }) => run;
  return {
    timing: grouped(
      statements.all<TimingRow>(
        `SELECT t.id, t.kind, t.at, t.previous_at, t.body ${runs} timing t ON ${inRun('t.id')} ORDER BY t.id`,
        asked,
      ),
      byId,
    ),
    scores: grouped(
      statements.all<ScoreRow>(
        `SELECT v.id, v.step, v.score, e.at ${runs} evaluation v ON ${inRun('v.id')} CROSS JOIN event e ON e.id = v.id
         WHERE v.score IS NOT NULL ORDER BY v.id`,
        asked,
      ),
      byId,
    ),
    hints: grouped(
      statements.all<HintRow>(
        `SELECT h.run, h.category, h.text, h.step ${runs} hint h ON h.run = asked.value
         WHERE h.state = 'delivered' AND h.step IS NOT NULL ORDER BY h.run, h.step, h.number`,
        asked,
      ),
      byRun,
    ),
    reviews: new Map(
      statements
        .all<{ run: number; ms: number; steps: number; labels: number }>(
          `SELECT d.run, sum(d.ms) AS ms, count(DISTINCT d.step) AS steps,
             count(*) AS labels ${runs} dwell d ON d.run = asked.value GROUP BY d.run`,
          asked,
        )
        .map(({ run, ...review }) => [run, review]),
    ),
    looks: new Map(
      statements
        .all<{ run: number; n: number; ms: number }>(
          `SELECT l.run, count(*) AS n, sum(l.ms) AS ms ${runs} look l ON l.run = asked.value GROUP BY l.run`,
          asked,
        )
        .map(({ run, ...looks }) => [run, looks]),
    ),
  };
}

function runOf(
  context: ReadContext,
  run: RunRecord,
  { hash, ...created }: Created,
  rows: Rows,
): ExperimentRun {
  const { facts, state } = run;
  const ended = state.status !== null && hasEnded(state.status);
  const isRunning = !ended && context.isDriven(run.ulid);
  const until = isRunning ? context.now() : run.changedAt;
  const { scores, workingMs } = timed(rows.timing.get(run.id) ?? [], rows.scores.get(run.id) ?? [], until);
  const hints = rows.hints.get(run.id) ?? [];
  const { best } = state.scores;
  return {
    run: run.ulid,
    title: facts.title,
    task: { ...facts.task, hash },
    model: state.changed.model ?? facts.model,
    ...created,
    branch: facts.parent !== null,
    status: state.status,
    ended,
    final: ended ? finalScore(state.scores) : null,
    best,
    timeToBestMs: best === null ? null : (scores.find(({ score }) => score === best)?.ms ?? null),
    workingMs,
    cost: state.steps === 0 || hasUnpriced(context, run) ? null : state.cost,
    steps: state.steps,
    scores,
    hints: hints.map(({ category, step }) => effectOf(category, step, scores)),
    hintWords: hints.reduce((sum, { text }) => sum + wordsIn(text), 0),
    review: rows.reviews.get(run.id) ?? { ms: 0, steps: 0, labels: 0 },
    looks: rows.looks.get(run.id) ?? { n: 0, ms: 0 },
  };
}

/** Whether an answer of the run has no price, so that nobody knows what the run cost. */
function hasUnpriced({ statements }: ReadContext, { id, seq, state }: RunRecord): boolean {
  if (state.version === FOLD_VERSION) return (state.unpriced ?? 0) > 0;
  // Folded by an earlier version, until it is derived again in the background.
  const row = statements.get(
    `SELECT 1 FROM event WHERE id BETWEEN ? AND ? AND kind = 'model.answered' AND json_extract(body, '$.cost') IS NULL`,
    rowId(id, 1),
    rowId(id, seq),
  );
  return row !== undefined;
}

/** Working time of a run, and at each of its scores. */
function timed(
  timing: readonly TimingRow[],
  scored: readonly ScoreRow[],
  until: number,
): { scores: TimedScore[]; workingMs: number } {
  const time = new WorkingTime();
  let next = 0;
  const follow = (before: number) => {
    for (let row = timing[next]; row !== undefined && row.id < before; row = timing[++next]) {
      applyTiming(time, row);
    }
  };
  const scores = scored.map(({ id, step, score, at }) => {
    follow(id);
    return { ms: time.ms(at), step, score };
  });
  follow(Number.POSITIVE_INFINITY);
  return { scores, workingMs: time.ms(until) };
}

/** A hint reaches the agent with what a step observed: a score of that step was had without it. */
function effectOf(category: HintCategory, step: number, scores: readonly TimedScore[]): HintEffect {
  const before = scores.findLast((each) => each.step <= step)?.score ?? null;
  const later = scores.filter((each) => each.step > step);
  const better = before === null ? undefined : later.find(({ score }) => score > before);
  return {
    category,
    step,
    before,
    after: later[0]?.score ?? null,
    stepsToBetter: better === undefined ? null : better.step - step,
  };
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

function wordsIn(text: string): number {
  let words = 0;
  for (const { isWordLike } of segmenter.segment(text)) if (isWordLike === true) words += 1;
  return words;
}
