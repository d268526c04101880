import { rowId, type Statements } from '../file/rows';
import type { FileRow, FoldSink, HeadRow } from '../projections/fold-rows';

type Row<K extends keyof FoldSink> = Parameters<FoldSink[K]>[0];

/** Writes what the fold hands out while it goes over the events of one transaction; steps' heads are collected. */
export class RunRows implements FoldSink {
  /** Heads that changed, by step. */
  readonly heads = new Map<number, { row: HeadRow; settled: boolean }>();

  constructor(
    private readonly statements: Statements,
    private readonly run: number,
  ) {}

  head(row: HeadRow, settled: boolean): void {
    const known = this.heads.get(row.step);
    this.heads.set(row.step, { row, settled: settled || known?.settled === true });
  }

  note({ seq, step, note }: Row<'note'>): void {
    this.statements.run(
      'INSERT INTO note (id, step, body) VALUES (?, ?, ?)',
      rowId(this.run, seq),
      rowId(this.run, step),
      JSON.stringify(note),
    );
  }

  segment({ seq, segment, firstStep, carried }: Row<'segment'>): void {
    this.statements.run(
      'INSERT INTO segment (id, segment, first_step, carried_from, carried_to) VALUES (?, ?, ?, ?, ?)',
      rowId(this.run, seq),
      segment,
      firstStep,
      carried?.from ?? null,
      carried?.to ?? null,
    );
  }

  file({ computer, path, seq, step, before, after, size, by }: FileRow): void {
    this.statements.run(
      `INSERT INTO file_revision (run, computer, path, revision, seq, step, before, after, size, by)
       SELECT ?, ?, ?, coalesce(max(revision), 0) + 1, ?, ?, ?, ?, ?, ? FROM file_revision
       WHERE run = ? AND computer = ? AND path = ?`,
      ...[this.run, computer, path, seq, step, before, after, size, by],
      ...[this.run, computer, path],
    );
  }

  query({ seq, step, tool, query, place, hits }: Row<'query'>): void {
    this.statements.run(
      'INSERT INTO query (id, step, tool, query, place, hits) VALUES (?, ?, ?, ?, ?, ?)',
      ...[rowId(this.run, seq), step, tool, query, place, hits],
    );
  }

  evaluation({ seq, step, attempt, forced, score }: Row<'evaluation'>): void {
    this.statements.run(
      'INSERT INTO evaluation (id, step, attempt, forced, score) VALUES (?, ?, ?, ?, ?)',
      ...[rowId(this.run, seq), step, attempt, forced ? 1 : 0, score],
    );
  }

  timing({ seq, kind, at, previousAt, body }: Row<'timing'>): void {
    this.statements.run(
      'INSERT INTO timing (id, kind, at, previous_at, body) VALUES (?, ?, ?, ?, ?)',
      ...[rowId(this.run, seq), kind, at, previousAt, JSON.stringify(body)],
    );
  }

  sessionOpened({ uid, computer, session, rows, cols, seq }: Row<'sessionOpened'>): void {
    this.statements.run(
      `INSERT OR REPLACE INTO session (run, uid, computer, name, rows, cols, opened_seq, ended, exit_code, state, command)
       VALUES (?, ?, ?, ?, ?, ?, ?, 0, NULL, 'idle', NULL)`,
      ...[this.run, uid, computer, session, rows, cols, seq],
    );
  }

  sessionEnded({ uid, exitCode, lost }: Row<'sessionEnded'>): void {
    this.statements.run(
      'UPDATE session SET ended = 1, state = ?, exit_code = ? WHERE run = ? AND uid = ?',
      ...[lost ? 'lost' : 'ended', exitCode, this.run, uid],
    );
  }

  sessionActivity({ uid, command, state }: Row<'sessionActivity'>): void {
    this.statements.run(
      'UPDATE session SET command = coalesce(?, command), state = coalesce(?, state) WHERE run = ? AND uid = ? AND ended = 0',
      ...[command, state, this.run, uid],
    );
  }
}
