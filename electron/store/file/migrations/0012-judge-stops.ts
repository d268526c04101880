import type { Migration } from '../database';

/**
 * Batches of judges that somebody asked to stop, in whatever process. `epoch`: that of the batch when it was asked, so that only
 * the process that worked on it then is meant; one that takes the batch up later removes the row.
 */
export const judgeStops: Migration = {
  version: 12,
  name: 'judge stops',
  sql: `
CREATE TABLE judge_stop (
  batch TEXT PRIMARY KEY,
  epoch INTEGER NOT NULL,
  at INTEGER NOT NULL,
  sum BLOB NOT NULL
) STRICT;
`,
};
