import type { RunEvent } from '@shared/events';
import { type FoldSink, HeadFlag, type HeadRow, headFlags } from './fold-rows';
import { HintProjection } from './hint-projection';
import { LAST_SEQ, rowId, TILE_STEPS, tileId } from './ids';
import { LabelProjection } from './label-projection';
import type { Statements } from './rows';
import { foldEvent, type RunState } from './run-fold';
import type { RuleVerdictRow } from './step-projector';

const INSERT_HEAD = `INSERT INTO step_head
  (id, seq0, seq1, at, ulid, segment, kind, tool, title, observation, error_code, exit_code, bytes, score, flags, guards)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET seq0 = excluded.seq0, seq1 = excluded.seq1, at = excluded.at,
    ulid = excluded.ulid, segment = excluded.segment, kind = excluded.kind, tool = excluded.tool,
    title = excluded.title, observation = excluded.observation, error_code = excluded.error_code,
    exit_code = excluded.exit_code, bytes = excluded.bytes, score = excluded.score, flags = excluded.flags,
    guards = excluded.guards`;

const INSERT_TILE = `INSERT OR REPLACE INTO tile (id, n, train, mask, disagreement, hints, errors, score)
  SELECT ?, count(*), sum(label = 1), sum(label = 2), sum(label_flags & 1), sum((flags >> 1) & 1), sum(flags & 1), max(score)
  FROM step_head INDEXED BY step_filter WHERE id BETWEEN ? AND ? HAVING count(*) > 0`;

/** The bare columns are those of the row with the greatest `opened_seq`. */
const LATEST_SESSION =
  'SELECT uid, ended, command, state, max(opened_seq) FROM session WHERE run = ? AND computer = ? AND name = ?';

interface LatestSession {
  uid: string | null;
  ended: number;
  command: string | null;
  state: string;
}

/** What a step adds to its tile besides its labels. */
function tileFacts(head: HeadRow | null): string {
  const bits = head === null ? 0 : headFlags(head) & (HeadFlag.error | HeadFlag.hint);
  return `${head?.step}|${bits}|${head?.score}`;
}

/** Writes everything that is derived from a run's events; on a rebuild it writes into an empty database. */
export class RunProjection {
  readonly hints: HintProjection;
  readonly labels: LabelProjection;

  constructor(private readonly statements: Statements) {
    this.hints = new HintProjection(statements);
    this.labels = new LabelProjection(statements);
  }

  /** Folds stored events into the state and writes the rows that changed, labels and tiles included. */
  apply(
    run: number,
    state: RunState,
    events: readonly RunEvent[],
    verdicts: readonly RuleVerdictRow[],
  ): void {
    const heads = new Map<number, HeadRow>();
    const sink = this.sink(run, heads);
    const counted = tileFacts(state.head);
    for (const event of events) {
      foldEvent(state, event, sink);
      if (event.kind === 'hint.delivered') {
        this.hints.deliver(run, event);
      } else if (event.kind === 'hint.undelivered') {
        this.hints.dropUndelivered(run, event.body.ids);
      }
    }
    for (const head of heads.values()) {
      this.writeHead(run, head);
    }
    const relabelled = this.writeVerdicts(run, verdicts);
    for (const step of relabelled) {
      this.labels.refresh(run, step);
    }
    const moved = [...heads.values()].filter((head) => tileFacts(head) !== counted).map(({ step }) => step);
    this.refreshTiles(run, [...moved, ...relabelled]);
  }

  /** Stores verdicts; returns the steps they are about. */
  writeVerdicts(run: number, verdicts: readonly RuleVerdictRow[]): Set<number> {
    const steps = new Set<number>();
    for (const { step, verdict } of verdicts) {
      this.statements.run(
        'INSERT OR REPLACE INTO rule_mark (step, rule, verdict) VALUES (?, ?, ?)',
        rowId(run, step),
        verdict.rule,
        JSON.stringify(verdict),
      );
      steps.add(step);
    }
    return steps;
  }

  refreshTiles(run: number, steps: Iterable<number>): void {
    const tiles = new Set<number>();
    for (const step of steps) {
      tiles.add(tileId(run, step));
    }
    for (const tile of tiles) {
      this.refreshTile(run, tile);
    }
  }

  refreshTileRange(run: number, from: number, to: number): void {
    for (let tile = tileId(run, from); tile <= tileId(run, to); tile += 1) {
      this.refreshTile(run, tile);
    }
  }

  private refreshTile(run: number, tile: number): void {
    const first = rowId(run, (tile - rowId(run, 0)) * TILE_STEPS + 1);
    this.statements.run(INSERT_TILE, tile, first, first + TILE_STEPS - 1);
  }

  private writeHead(run: number, head: HeadRow): void {
    this.statements.run(
      INSERT_HEAD,
      rowId(run, head.step),
      head.seq0,
      head.seq1,
      head.at,
      head.stepId,
      head.segment,
      head.kind,
      head.tool,
      head.title,
      head.observation,
      head.errorCode,
      head.exitCode,
      head.bytes,
      head.score,
      headFlags(head),
      JSON.stringify(head.guards),
    );
  }

  /** Two plain statements instead of one with a subquery and a sort: every observation of a command comes by here. */
  private writeActivity(run: number, row: Parameters<FoldSink['sessionActivity']>[0]): void {
    const { computer, session } = row;
    const latest = this.statements.get<LatestSession>(LATEST_SESSION, run, computer, session);
    if (latest === undefined || latest.uid === null || latest.ended === 1) {
      return;
    }
    const command = row.command ?? latest.command;
    const state = row.state ?? latest.state;
    if (command !== latest.command || state !== latest.state) {
      this.statements.run(
        'UPDATE session SET command = ?, state = ? WHERE run = ? AND uid = ?',
        command,
        state,
        run,
        latest.uid,
      );
    }
  }

  private sink(run: number, heads: Map<number, HeadRow>): FoldSink {
    const put = (sql: string, ...parameters: unknown[]) => this.statements.run(sql, ...parameters);
    return {
      head: (row) => heads.set(row.step, row),
      note: ({ seq, step, note }) =>
        put(
          'INSERT INTO note (id, step, body) VALUES (?, ?, ?)',
          rowId(run, seq),
          rowId(run, step),
          JSON.stringify(note),
        ),
      segment: ({ seq, segment }) =>
        put('INSERT INTO segment (id, segment) VALUES (?, ?)', rowId(run, seq), segment),
      file: (row) =>
        put(
          `INSERT INTO file_revision (run, computer, path, revision, seq, step, before, after, size, by)
           SELECT ?, ?, ?, coalesce(max(revision), 0) + 1, ?, ?, ?, ?, ?, ? FROM file_revision
           WHERE run = ? AND computer = ? AND path = ?`,
          run,
          row.computer,
          row.path,
          row.seq,
          row.step,
          row.before,
          row.after,
          row.size,
          row.by,
          run,
          row.computer,
          row.path,
        ),
      query: (row) =>
        put(
          'INSERT INTO query (id, step, tool, query, place, hits) VALUES (?, ?, ?, ?, ?, ?)',
          rowId(run, row.seq),
          row.step,
          row.tool,
          row.query,
          row.place,
          row.hits,
        ),
      evaluation: (row) =>
        put(
          'INSERT INTO evaluation (id, step, attempt, forced, score) VALUES (?, ?, ?, ?, ?)',
          rowId(run, row.seq),
          row.step,
          row.attempt,
          row.forced ? 1 : 0,
          row.score,
        ),
      timing: (row) =>
        put(
          'INSERT INTO timing (id, kind, at, previous_at, body) VALUES (?, ?, ?, ?, ?)',
          rowId(run, row.seq),
          row.kind,
          row.at,
          row.previousAt,
          JSON.stringify(row.body),
        ),
      sessionOpened: (row) =>
        put(
          `INSERT OR REPLACE INTO session (run, uid, computer, name, rows, cols, opened_seq, ended, exit_code, state, command)
           VALUES (?, ?, ?, ?, ?, ?, ?, 0, NULL, 'idle', NULL)`,
          run,
          row.uid,
          row.computer,
          row.session,
          row.rows,
          row.cols,
          row.seq,
        ),
      sessionEnded: ({ uid, exitCode }) =>
        put(
          "UPDATE session SET ended = 1, state = 'ended', exit_code = ? WHERE run = ? AND uid = ?",
          exitCode,
          run,
          uid,
        ),
      sessionActivity: (row) => this.writeActivity(run, row),
    };
  }
}

/** Empties every projection of a run, so that a rebuild can begin. Hints, marks and rule verdicts go as well. */
export function clearProjections(statements: Statements, run: number): void {
  const first = rowId(run, 0);
  const last = rowId(run, LAST_SEQ);
  for (const table of ['step_head', 'note', 'segment', 'query', 'evaluation', 'timing', 'tile']) {
    statements.run(`DELETE FROM ${table} WHERE id BETWEEN ? AND ?`, first, last);
  }
  statements.run('DELETE FROM rule_mark WHERE step BETWEEN ? AND ?', first, last);
  for (const table of ['file_revision', 'session', 'hint', 'mark', 'rule_cursor', 'label_work']) {
    statements.run(`DELETE FROM ${table} WHERE run = ?`, run);
  }
}
