import type { Migration } from '../database';

/**
 * `rubric_setting`: the text that a person keeps for judging the steps of a task, in the place of the application's own.
 * `judge_trial`: verdicts of a rubric that is only tried. They are no votes: they change no label and are in no log. `run` and `step`
 * are where the step was made; a run that is removed, or whose texts are purged, takes its own along, because they quote it.
 */
export const rubrics: Migration = {
  version: 11,
  name: 'rubrics',
  sql: `
CREATE TABLE rubric_setting (
  task TEXT PRIMARY KEY,
  text TEXT NOT NULL,
  at INTEGER NOT NULL,
  author TEXT NOT NULL,
  sum BLOB NOT NULL
) STRICT;
CREATE TABLE judge_trial (
  run TEXT NOT NULL,
  rubric TEXT NOT NULL,
  judge TEXT NOT NULL,
  step INTEGER NOT NULL,
  verdict TEXT NOT NULL,
  sum BLOB NOT NULL,
  PRIMARY KEY (run, rubric, judge, step)
) STRICT, WITHOUT ROWID;
`,
};
