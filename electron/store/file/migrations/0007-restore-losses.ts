import type { Migration } from '../database';

/**
 * Output of terminals that `restore` could not bring back, bytes `from_byte..to_byte`. `stored` 1: the lists of parts and chunks
 * keep its place as a gap; 0: it lay behind what is stored, and a run that goes on may still fetch it. `at`: of the restore.
 */
export const restoreLosses: Migration = {
  version: 7,
  name: 'restore losses',
  sql: `
CREATE TABLE restore_loss (
  run INTEGER NOT NULL,
  uid TEXT NOT NULL,
  from_byte INTEGER NOT NULL,
  to_byte INTEGER NOT NULL,
  stored INTEGER NOT NULL,
  at INTEGER NOT NULL,
  sum BLOB NOT NULL,
  PRIMARY KEY (run, uid, from_byte)
) STRICT;
`,
};
