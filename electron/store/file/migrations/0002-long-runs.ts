import type { Migration } from '../database';

/**
 * When a queued hint may be delivered and why it became due; up to where each person has seen each run. `seen` belongs to no
 * log: it is a bookmark.
 */
export const longRuns: Migration = {
  version: 2,
  name: 'long runs',
  sql: `
ALTER TABLE hint ADD COLUMN deliver TEXT NOT NULL DEFAULT '{"when":"next_step"}';
ALTER TABLE hint ADD COLUMN due TEXT;
CREATE TABLE seen (
  run INTEGER NOT NULL,
  author TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (run, author)
) STRICT, WITHOUT ROWID;
`,
};
