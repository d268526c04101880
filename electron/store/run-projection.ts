import type { RunEvent } from '@shared/events';
import { type FoldSink, type HeadRow, headFlags } from './fold-rows';
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
    this.refreshTiles(run, [...heads.keys(), ...relabelled]);
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

  private sink(run: number, heads: Map<number, HeadRow>): FoldSink {
    const put = (sql: string, ...parameters: unknown[]) => this.statements.run(sql, ...parameters);
    const latest = `(SELECT uid FROM session WHERE run = ? AND computer = ? AND name = ? ORDER BY opened_seq DESC LIMIT 1)`;
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
      sessionActivity: ({ computer, session, command, state }) =>
        put(
          `UPDATE session SET command = coalesce(?, command), state = coalesce(?, state)
           WHERE run = ? AND ended = 0 AND uid = ${latest}`,
          command,
          state,
          run,
          run,
          computer,
          session,
        ),
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
