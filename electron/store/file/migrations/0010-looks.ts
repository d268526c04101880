import type { Migration } from '../database';

/**
 * How often and how long people watched a run: `at` is when a look began (wall clock), which names it among those of its author.
 * In no log: it is this workspace's own, as `dwell` is.
 */
export const looks: Migration = {
  version: 10,
  name: 'looks',
  sql: `
CREATE TABLE look (
  run INTEGER NOT NULL,
  author TEXT NOT NULL,
  at INTEGER NOT NULL,
  ms INTEGER NOT NULL,
  PRIMARY KEY (run, author, at)
) STRICT, WITHOUT ROWID;
`,
};
