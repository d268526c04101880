import type { Migration } from '../database';

/**
 * What one act of a person wrote together, by entry: undo takes it as one. `asked` is the run in which it was done where that is
 * not the run of the entry. Derived from the annotation log; entries of earlier applications are gestures of their own and have
 * no row.
 */
export const gestures: Migration = {
  version: 5,
  name: 'gestures',
  sql: `
CREATE TABLE gesture (
  run INTEGER NOT NULL,
  annotation INTEGER NOT NULL,
  id TEXT NOT NULL,
  asked TEXT,
  author TEXT NOT NULL,
  PRIMARY KEY (run, annotation)
) STRICT, WITHOUT ROWID;
CREATE INDEX gesture_id ON gesture (id);
CREATE INDEX gesture_asked ON gesture (asked, author, annotation) WHERE asked IS NOT NULL;
`,
};
