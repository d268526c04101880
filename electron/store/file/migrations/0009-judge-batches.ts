import type { Migration } from '../database';

/**
 * What judges were asked for and what it took. `body`: the choices; `ended`: how it ended, null while it goes on; `epoch`: of the
 * judge's lock when a process took the batch up last, so that an earlier one can store no more. A row of `judge_answer` is an
 * answer that was paid for, stored in the transaction of its votes; `request` says what was shown. Neither holds texts of runs.
 */
export const judgeBatches: Migration = {
  version: 9,
  name: 'judge batches',
  sql: `
CREATE TABLE judge_batch (
  ulid TEXT PRIMARY KEY,
  judge TEXT NOT NULL,
  at INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  body TEXT NOT NULL,
  ended TEXT,
  sum BLOB NOT NULL
) STRICT;
CREATE TABLE judge_answer (
  batch TEXT NOT NULL,
  number INTEGER NOT NULL,
  sha TEXT NOT NULL,
  request TEXT NOT NULL,
  votes INTEGER NOT NULL,
  against INTEGER NOT NULL,
  unparsable INTEGER NOT NULL,
  cost REAL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  sum BLOB NOT NULL,
  PRIMARY KEY (batch, number)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER judge_answer_no_update BEFORE UPDATE ON judge_answer
  BEGIN SELECT RAISE(ABORT, 'an answer stays as it was stored'); END;
`,
};
