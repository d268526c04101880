import type { Migration } from '../database';

/** `summary_rubric`: the text that a person keeps for judging the summaries of a task's runs. Formed like `rubric_setting`. */
export const summaryRubrics: Migration = {
  version: 13,
  name: 'summary rubrics',
  sql: `
CREATE TABLE summary_rubric (
  task TEXT PRIMARY KEY,
  text TEXT NOT NULL,
  at INTEGER NOT NULL,
  author TEXT NOT NULL,
  sum BLOB NOT NULL
) STRICT;
`,
};
