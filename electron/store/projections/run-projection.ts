import type { MachinePrecedence } from '@shared/labels/labels';
import type { RunEvent } from '@shared/log/events';
import { rowId, type Statements, TILE_STEPS, tileId } from '../file/rows';
import { RunRows } from '../log/run-rows';
import type { StoredRunState } from '../log/run-state';
import { type HeadRow, headFlags, headMarks } from './fold-rows';
import { HintProjection } from './hint-projection';
import { LabelProjection } from './label-projection';
import { foldEvent } from './run-fold';
import type { RuleVerdictRow } from './step-projector';

const INSERT_HEAD = `INSERT INTO step_head
  (id, seq0, seq1, at, ulid, title, observation, error_code, exit_code, bytes, marks, guards, segment, kind, flags, tool, score, computer)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET segment = excluded.segment, kind = excluded.kind, flags = excluded.flags, tool = excluded.tool,
  score = excluded.score, computer = excluded.computer`;

/** Leaves the filter index alone as long as nothing that it holds has changed. */
const UPDATE_HEAD = `UPDATE step_head SET seq0 = ?, seq1 = ?, at = ?, ulid = ?, title = ?,
  observation = ?, error_code = ?, exit_code = ?, bytes = ?, marks = ?, guards = ? WHERE id = ?`;

/** Counts of a range of step heads, from the filter index alone. */
export const TILE_COUNTS = `count(*) AS n, coalesce(sum(label = 1), 0) AS train, coalesce(sum(label = 2), 0) AS mask,
  coalesce(sum(label_flags & 1), 0) AS disagreement, coalesce(sum((flags >> 1) & 1), 0) AS hints,
  coalesce(sum(flags & 1), 0) AS errors, max(score) AS score
  FROM step_head INDEXED BY step_filter WHERE id BETWEEN ? AND ?`;

/** A branch has no rows, and no tiles, for the steps it took over. */
const INSERT_TILE = `INSERT OR REPLACE INTO tile (id, n, train, mask, disagreement, hints, errors, score)
  SELECT ?, ${TILE_COUNTS} HAVING count(*) > 0`;

/** Columns of a step that the filter index holds and events decide. */
type IndexedColumns = Pick<HeadRow, 'segment' | 'kind' | 'tool' | 'score' | 'computer'> & { flags: number };

function indexedColumns(head: HeadRow): IndexedColumns {
  // The running step of a state that an older fold kept knows no computer yet.
  const { segment, kind, tool, score, computer = '' } = head;
  return { segment, kind, tool, score, computer, flags: headFlags(head) };
}

function sameColumns(known: IndexedColumns | undefined, now: IndexedColumns): boolean {
  return (
    known !== undefined &&
    known.flags === now.flags &&
    known.tool === now.tool &&
    known.score === now.score &&
    known.computer === now.computer &&
    known.kind === now.kind &&
    known.segment === now.segment
  );
}

/** Writes everything that is derived from a run's events; on a rebuild it writes into an empty database. */
export class RunProjection {
  readonly hints: HintProjection;
  readonly labels: LabelProjection;

  /** `precedenceOf`: how machine opinions meet in a run, by its number; by default as stored. */
  constructor(
    private readonly statements: Statements,
    precedenceOf?: (run: number) => MachinePrecedence,
  ) {
    this.hints = new HintProjection(statements);
    this.labels = new LabelProjection(statements, precedenceOf);
  }

  /** Folds stored events into the state and writes the rows that changed, labels and tiles included. */
  apply(
    run: number,
    state: StoredRunState,
    events: readonly RunEvent[],
    verdicts: readonly RuleVerdictRow[],
  ): void {
    const sink = new RunRows(this.statements, run);
    const { heads } = sink;
    const before = state.steps;
    for (const event of events) {
      foldEvent(state, event, sink);
      if (event.kind === 'hint.delivered') {
        this.hints.deliver(run, event);
      } else if (event.kind === 'hint.undelivered') {
        this.hints.dropUndelivered(run, event.body.ids);
      } else if (event.kind === 'hint.due') {
        this.hints.comeDue(run, event.body);
      }
    }
    const relabelled = this.writeVerdicts(run, verdicts);
    for (const { row, settled } of heads.values()) {
      const inserted = this.writeHead(run, row, settled || row.done);
      if (inserted && this.hasVerdict(run, row.step)) {
        relabelled.add(row.step);
      }
    }
    for (const step of relabelled) {
      this.labels.refresh(run, step);
    }
    const entered = before > 0 && tileId(run, state.steps) > tileId(run, before) ? [before] : [];
    this.refreshTiles(run, [...entered, ...heads.keys(), ...relabelled], state.steps);
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

  /** Renews the tiles of these steps. The tile of the run's last step is not stored: readers count its few rows. */
  refreshTiles(run: number, steps: Iterable<number>, last: number): void {
    const tiles = new Set<number>();
    for (const step of steps) {
      tiles.add(tileId(run, step));
    }
    for (const tile of tiles) {
      if (tile < tileId(run, last)) {
        this.refreshTile(run, tile);
      }
    }
  }

  refreshTileRange(run: number, from: number, to: number, last: number): void {
    for (let tile = tileId(run, from); tile <= tileId(run, to) && tile < tileId(run, last); tile += 1) {
      this.refreshTile(run, tile);
    }
  }

  private refreshTile(run: number, tile: number): void {
    const first = rowId(run, (tile - rowId(run, 0)) * TILE_STEPS + 1);
    this.statements.run(INSERT_TILE, tile, first, first + TILE_STEPS - 1);
  }

  /** The row of the running step, for somebody who decides about it before it is done. */
  settle(run: number, head: HeadRow | null): void {
    if (head !== null && this.writeHead(run, head, true) && this.hasVerdict(run, head.step)) {
      this.labels.refresh(run, head.step);
    }
  }

  /** True when the row is new. A row that does not exist yet is made only when `insert` says so. */
  private writeHead(run: number, head: HeadRow, insert: boolean): boolean {
    const id = rowId(run, head.step);
    const plain = [
      head.seq0,
      head.seq1,
      head.at,
      head.stepId,
      head.title,
      head.observation,
      head.errorCode,
      head.exitCode,
      head.bytes,
      headMarks(head),
      JSON.stringify(head.guards),
    ];
    const known = this.statements.get<IndexedColumns>(
      'SELECT segment, kind, flags, tool, score, computer FROM step_head WHERE id = ?',
      id,
    );
    if (known !== undefined) {
      this.statements.run(UPDATE_HEAD, ...plain, id);
    }
    const indexed = indexedColumns(head);
    if (!sameColumns(known, indexed) && (insert || known !== undefined)) {
      const { segment, kind, flags, tool, score, computer } = indexed;
      this.statements.run(INSERT_HEAD, id, ...plain, segment, kind, flags, tool, score, computer);
    }
    return known === undefined && insert;
  }

  private hasVerdict(run: number, step: number): boolean {
    return (
      this.statements.get('SELECT 1 FROM rule_mark WHERE step = ? LIMIT 1', rowId(run, step)) !== undefined
    );
  }
}
