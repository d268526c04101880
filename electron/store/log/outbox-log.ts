import { WaymarkError } from '@shared/contract/errors';
import type { StoredStatus } from '@shared/log/events';
import { type OutboxEntry, type OutboxOp, outboxOps } from '@shared/log/outbox';
import { hasEnded } from '@shared/runs/run-status';
import type { Statements } from '../file/rows';
import type { HintProjection } from '../projections/hint-projection';
import { CHAIN_START, chainHash } from './hashing';

/** What the `body` column holds: the entry without its row id. */
export type StoredOutboxEntry = Omit<OutboxEntry, 'id'>;

/** Outbox rows, chained per run. */
export class OutboxLog {
  constructor(
    private readonly statements: Statements,
    private readonly hints: HintProjection,
  ) {}

  /** Id of the run's latest entry, 0 before the first. One without words, purged or lost before a restore, is never read. */
  head(run: number): number {
    return (
      this.statements.get<{ id: number }>(
        "SELECT id FROM outbox WHERE run = ? AND body <> '' ORDER BY id DESC LIMIT 1",
        run,
      )?.id ?? 0
    );
  }

  /** The stored entry with this id. @throws WaymarkError conflict, when another run has it */
  find(run: number, ulid: string): OutboxEntry | null {
    const row = this.statements.get<{ id: number; run: number; body: string }>(
      'SELECT id, run, body FROM outbox WHERE ulid = ?',
      ulid,
    );
    if (row !== undefined && row.run !== run) {
      throw new WaymarkError('conflict', `Entry ${ulid} belongs to another run.`);
    }
    return row === undefined ? null : outboxEntry(row);
  }

  /**
   * Refused hint operations leave nothing behind.
   * @throws WaymarkError refused: a second answer to a question; what people may not do with hints
   */
  append(run: number, entry: StoredOutboxEntry): OutboxEntry {
    this.refuseSecondAnswer(run, entry);
    this.hints.post(run, { id: 0, ...entry });
    const last = this.statements.get<{ hash: Buffer }>(
      'SELECT hash FROM outbox WHERE run = ? ORDER BY id DESC LIMIT 1',
      run,
    );
    const body = JSON.stringify(entry);
    const { lastInsertRowid } = this.statements.run(
      'INSERT INTO outbox (ulid, run, body, hash) VALUES (?, ?, ?, ?)',
      entry.ulid,
      run,
      body,
      chainHash(last?.hash ?? CHAIN_START, body),
    );
    return { id: Number(lastInsertRowid), ...entry };
  }

  /** In the transaction of the entry: of two processes that answer at once, one hears that it came second. */
  private refuseSecondAnswer(run: number, { run: name, body }: StoredOutboxEntry): void {
    if (body.op !== 'approval.decided') return;
    const first = answersTo(this.statements, run).find(({ approval }) => approval === body.approval);
    if (first === undefined) return;
    const answer = first.decision === 'allow' ? 'approved' : 'refused';
    throw new WaymarkError(
      'refused',
      `The question of run ${name} has already been answered: ${first.author} ${answer} it. The first answer counts. If the run must not continue that way, stop it.`,
    );
  }
}

interface PostedAnswer {
  approval: string;
  decision: 'allow' | 'deny';
  author: string;
}

/** People's answers to what a run asked, oldest first, whether its driver took them up or not. */
export function answersTo(statements: Statements, run: number): PostedAnswer[] {
  // A purged entry has no words; SQLite may look at the conditions in any order.
  return statements.all<PostedAnswer>(
    `SELECT json_extract(body, '$.body.approval') AS approval, json_extract(body, '$.body.decision') AS decision,
       json_extract(body, '$.author') AS author FROM outbox
     WHERE run = ? AND CASE WHEN json_valid(body) THEN json_extract(body, '$.body.op') END = 'approval.decided'
     ORDER BY id`,
    run,
  );
}

/** Parses an operation from outside. Throws `bad_input`. */
export function parseOutboxOp(op: OutboxOp): OutboxOp {
  const parsed = outboxOps.safeParse(op);
  if (!parsed.success) {
    throw new WaymarkError('bad_input', 'This entry for the run was not understood.', parsed.error.message);
  }
  return parsed.data;
}

export function outboxEntry(row: { id: number; body: string }): OutboxEntry {
  return { id: row.id, ...(JSON.parse(row.body) as StoredOutboxEntry) };
}

/** In the transaction of the entry: a hint is there when the run's end marks those that were left over, or is refused. */
export function refuseEnded(run: string, status: StoredStatus | null): void {
  if (hasEnded(status)) {
    throw new WaymarkError(
      'run_ended',
      `Run ${run} has ended (${status}). Branch from one of its steps to continue with a hint.`,
    );
  }
}
