import { WaymarkError } from '@shared/contract/errors';
import type { Statements } from '../file/rows';
import { noRun } from '../log/run-log';

/** What the rows say about a session's bytes; all zero for one that has none. */
export interface StoredSession {
  /** Id of the run. */
  run: number;
  /** Of the newest driver that wrote anything about the run or the session. */
  epoch: number;
  end: number;
  /** When its last bytes were received, our clock, ms. */
  lastAt: number;
  /** Where the part begins that is being written. */
  base: number;
  /** Its file; null when the next chunk begins a part, and for a part that an earlier version wrote. */
  file: string | null;
}

/** One statement, so that outside of a transaction all of it is of the same moment. @throws WaymarkError not_found */
export function readStoredSession(statements: Statements, run: string, uid: string): StoredSession {
  const row = statements.get<StoredSession>(
    `SELECT h.run, max(h.epoch, coalesce(l.epoch, 0)) AS epoch, coalesce(l.end_offset, 0) AS end,
       coalesce(l.last_at, 0) AS lastAt, l.file,
       coalesce((SELECT base + length FROM session_part WHERE log = l.id ORDER BY base DESC LIMIT 1), 0) AS base
     FROM run r JOIN run_head h ON h.run = r.id LEFT JOIN session_log l ON l.run = r.id AND l.uid = ?
     WHERE r.ulid = ?`,
    uid,
    run,
  );
  if (row === undefined) {
    throw noRun(run);
  }
  return row;
}

/** @throws WaymarkError run_driven_elsewhere when a newer driver wrote */
export function refuseReplaced({ epoch: newest }: StoredSession, run: string, epoch: number): void {
  if (epoch < newest) {
    throw new WaymarkError(
      'run_driven_elsewhere',
      `Run ${run} is driven by another process since (epoch ${newest}, this driver has ${epoch}).`,
    );
  }
}
