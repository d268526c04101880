import { WaymarkError } from '@shared/contract/errors';
import {
  type BatchChoices,
  type BatchEnd,
  batchChoices,
  batchEnd,
  type JudgeAnswer,
  type JudgedRequest,
  judgedRequest,
  type StoredBatch,
} from '@shared/judging/batch';
import type { Statements } from '../file/rows';
import { rowSum } from './hashing';

/** What the checksum of a row covers, in this order. */
export const BATCH_COLUMNS = 'ulid, judge, at, epoch, body, ended';
export const STOP_COLUMNS = 'batch, epoch, at';
export const ANSWER_COLUMNS =
  'batch, number, sha, request, votes, against, unparsable, cost, input_tokens, output_tokens';

/** Which batch a process works on, and the epoch of the judge's lock that lets it. */
export interface HeldBatch {
  id: string;
  epoch: number;
}

interface BatchRow {
  ulid: string;
  judge: string;
  at: number;
  epoch: number;
  body: string;
  ended: string | null;
}

/** Batches of judges and the answers that were paid for. To be called inside of transactions. */
export class JudgeBatches {
  constructor(private readonly statements: Statements) {}

  /** Whoever begins holds the judge's lock, so no other batch of it is going on: those without an end are `interrupted`. */
  begin({ id, epoch }: HeldBatch, choices: BatchChoices, at: number): void {
    this.endOthers(choices.judge, id, at);
    const body = JSON.stringify(batchChoices.parse(choices));
    this.write({ ulid: id, judge: choices.judge, at, epoch, body, ended: null });
  }

  /** The batch goes on in this process, with another limit on money if one is given; who asked an earlier one to stop did not mean it. */
  resume({ id, epoch }: HeldBatch, maxCost: number | null, at: number): void {
    const row = this.row(id);
    this.endOthers(row.judge, id, at);
    this.dropStop(id);
    const body =
      maxCost === null ? row.body : JSON.stringify({ ...batchChoices.parse(JSON.parse(row.body)), maxCost });
    this.write({ ...row, body, epoch, ended: null });
  }

  answered(held: HeldBatch, answer: JudgeAnswer): void {
    // For every answer: what is judged by is thousands of characters, and is left in the file.
    refuseLost(held, this.statements.get<HeldState>(`${HELD} WHERE ulid = ?`, held.id));
    const last = this.statements.get<{ number: number | null }>(
      'SELECT max(number) AS number FROM judge_answer WHERE batch = ?',
      held.id,
    );
    const { sha256, request, votes, against, unparsable, cost, inputTokens, outputTokens } = answer;
    const row = [
      ...[held.id, (last?.number ?? 0) + 1, sha256, JSON.stringify(request), votes, against, unparsable],
      ...[cost, inputTokens, outputTokens],
    ];
    const places = row.map(() => '?').join();
    this.statements.run(
      `INSERT INTO judge_answer (${ANSWER_COLUMNS}, sum) VALUES (${places}, ?)`,
      ...row,
      rowSum(...row),
    );
  }

  end(held: HeldBatch, end: BatchEnd): void {
    this.close(this.heldRow(held), end);
  }

  /** The process that works on the batch is to end it; nothing is asked of a batch that has ended. @throws WaymarkError not_found */
  askStop(id: string, at: number): void {
    const { epoch, ended } = this.row(id);
    if (ended !== null) return;
    const row = [id, epoch, at];
    this.statements.run(
      `INSERT OR REPLACE INTO judge_stop (${STOP_COLUMNS}, sum) VALUES (?, ?, ?, ?)`,
      ...row,
      rowSum(...row),
    );
  }

  /** Only one that this process still holds. @throws WaymarkError conflict */
  private heldRow(held: HeldBatch): BatchRow {
    const row = this.row(held.id);
    refuseLost(held, row);
    return row;
  }

  private row(id: string): BatchRow {
    const row = this.statements.get<BatchRow>(`SELECT ${BATCH_COLUMNS} FROM judge_batch WHERE ulid = ?`, id);
    if (row === undefined) throw noBatch(id);
    return row;
  }

  private endOthers(judge: string, id: string, at: number): void {
    const end: BatchEnd = { at, why: 'interrupted', failure: null, missing: 0 };
    const open = this.statements.all<BatchRow>(
      `SELECT ${BATCH_COLUMNS} FROM judge_batch WHERE judge = ? AND ended IS NULL AND ulid <> ?`,
      ...[judge, id],
    );
    for (const row of open) this.close(row, end);
  }

  private close(row: BatchRow, end: BatchEnd): void {
    this.dropStop(row.ulid);
    this.write({ ...row, ended: JSON.stringify(batchEnd.parse(end)) });
  }

  private dropStop(id: string): void {
    this.statements.run('DELETE FROM judge_stop WHERE batch = ?', id);
  }

  private write({ ulid, judge, at, epoch, body, ended }: BatchRow): void {
    const row = [ulid, judge, at, epoch, body, ended];
    this.statements.run(
      `INSERT OR REPLACE INTO judge_batch (${BATCH_COLUMNS}, sum) VALUES (?, ?, ?, ?, ?, ?, ?)`,
      ...row,
      rowSum(...row),
    );
  }
}

type HeldState = Pick<BatchRow, 'epoch' | 'ended'>;
const HELD = 'SELECT epoch, ended FROM judge_batch';

/** @throws WaymarkError not_found, conflict */
function refuseLost({ id, epoch }: HeldBatch, row: HeldState | undefined): void {
  if (row === undefined) throw noBatch(id);
  if (row.epoch === epoch && row.ended === null) return;
  throw new WaymarkError(
    'conflict',
    `Batch ${id} was taken up by another process. Nothing more is stored by this one.`,
  );
}

export function noBatch(id: string): WaymarkError {
  return new WaymarkError(
    'not_found',
    `There is no batch ${id} in this workspace. "judge list" names those that are.`,
  );
}

interface CountedRow extends BatchRow {
  /** 1: whoever works on it is to end it. */
  stopping: number;
  asked: number;
  votes: number;
  against: number;
  unparsable: number;
  /** Answers whose cost is known. */
  priced: number;
  cost: number;
  inputTokens: number;
  outputTokens: number;
  unpricedInput: number;
  unpricedOutput: number;
}

const STOP_ASKED = 'SELECT 1 FROM judge_stop s WHERE s.batch = ulid AND s.epoch = judge_batch.epoch';

const COUNTED = `SELECT ${BATCH_COLUMNS}, ended IS NULL AND EXISTS (${STOP_ASKED}) AS stopping,
  count(number) AS asked, total(votes) AS votes, total(against) AS against, total(unparsable) AS unparsable,
  count(cost) AS priced, total(cost) AS cost, total(input_tokens) AS inputTokens, total(output_tokens) AS outputTokens,
  total(input_tokens) FILTER (WHERE cost IS NULL) AS unpricedInput, total(output_tokens) FILTER (WHERE cost IS NULL) AS unpricedOutput
  FROM judge_batch LEFT JOIN judge_answer ON batch = ulid`;

/**
 * The newest ones, the newest first. One that cannot be read, or is of a later version, keeps nobody from the others: it is left
 * out, and `readBatch` and `verify` name it.
 */
export function readBatches(statements: Statements, most: number): StoredBatch[] {
  const rows = statements.all<CountedRow>(
    `${COUNTED} WHERE ulid IN (SELECT ulid FROM judge_batch ORDER BY ulid DESC LIMIT ?) GROUP BY ulid ORDER BY ulid DESC`,
    most,
  );
  return rows.flatMap((row) => {
    try {
      return [batchOf(row)];
    } catch (thrown) {
      if (thrown instanceof WaymarkError) return [];
      throw thrown;
    }
  });
}

/** @throws WaymarkError not_found, workspace_corrupt */
export function readBatch(statements: Statements, id: string): StoredBatch {
  const row = statements.get<CountedRow>(`${COUNTED} WHERE ulid = ? GROUP BY ulid`, id);
  if (row === undefined) throw noBatch(id);
  return batchOf(row);
}

/** Whether somebody asked this process, which works on the batch, to end it. */
export function readStopAsked(statements: Statements, { id, epoch }: HeldBatch): boolean {
  const row = statements.get('SELECT 1 FROM judge_stop WHERE batch = ? AND epoch = ?', id, epoch);
  return row !== undefined;
}

/** What the request with this hash showed and asked; null: the batch has no such answer. Those of one step are alike. */
export function readJudgedRequest(
  statements: Statements,
  batch: string,
  sha256: string,
): JudgedRequest | null {
  const row = statements.get<{ request: string }>(
    'SELECT request FROM judge_answer WHERE batch = ? AND sha = ? ORDER BY number LIMIT 1',
    ...[batch, sha256],
  );
  return row === undefined ? null : parsed(judgedRequest, row.request, batch);
}

function batchOf(row: CountedRow): StoredBatch {
  const choices = parsed(batchChoices, row.body, row.ulid);
  const end = row.ended === null ? null : parsed(batchEnd, row.ended, row.ulid);
  const { asked, votes, against, unparsable, priced, cost, inputTokens, outputTokens } = row;
  const known = asked === 0 ? choices.price !== null : priced === asked;
  return {
    id: row.ulid,
    at: row.at,
    choices,
    end,
    isStopping: row.stopping === 1,
    counts: {
      asked,
      votes,
      against,
      unparsable,
      inputTokens,
      outputTokens,
      missing: end?.missing ?? 0,
      cost: known ? cost : null,
      knownCost: cost,
    },
    unpriced: { inputTokens: row.unpricedInput, outputTokens: row.unpricedOutput },
  };
}

/** A row is also what somebody else wrote. */
function parsed<T>(
  schema: { safeParse(value: unknown): { success: boolean; data?: T } },
  text: string,
  batch: string,
): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined; // not what was stored: said below
  }
  const { data, success } = schema.safeParse(value);
  if (success && data !== undefined) return data;
  throw new WaymarkError(
    'workspace_corrupt',
    `Batch ${batch} of a judge cannot be read. Run "verify" to see what is affected.`,
  );
}
