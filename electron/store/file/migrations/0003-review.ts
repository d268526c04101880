import type { Migration } from '../database';

/**
 * What reviewing needs: judges' votes and who decided beside the heads, filters by source and computer, steps by rule, settings
 * of rules per task, entries of other workspaces whose run is not here, and how long a person looked at a step. `dwell` and
 * `retro_seen` belong to no log: they are this workspace's own.
 */
export const review: Migration = {
  version: 3,
  name: 'review',
  sql: `
ALTER TABLE step_head ADD COLUMN computer TEXT NOT NULL DEFAULT '';
ALTER TABLE step_head ADD COLUMN judge TEXT;
ALTER TABLE step_head ADD COLUMN decided TEXT NOT NULL DEFAULT '[]';
ALTER TABLE segment ADD COLUMN first_step INTEGER NOT NULL DEFAULT 0;
ALTER TABLE segment ADD COLUMN carried_from INTEGER;
ALTER TABLE segment ADD COLUMN carried_to INTEGER;
DROP INDEX step_filter;
CREATE INDEX step_filter ON step_head (id, label, label_flags, flags, tool, score, label_source, computer, kind, segment, decided);
CREATE INDEX step_contested ON step_head (id) WHERE label_flags & 125;
CREATE INDEX annotation_assign ON annotation (run) WHERE op = 'assign';
CREATE INDEX annotation_undo ON annotation (undoes) WHERE op = 'undo';
CREATE INDEX rule_mark_rule ON rule_mark (rule, step);
ALTER TABLE run_head ADD COLUMN precedence TEXT NOT NULL DEFAULT 'union';
CREATE TABLE rule_setting (
  task TEXT PRIMARY KEY,
  body TEXT NOT NULL,
  at INTEGER NOT NULL,
  author TEXT NOT NULL,
  sum BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE kept_annotation (
  device TEXT NOT NULL,
  device_seq INTEGER NOT NULL,
  ulid TEXT NOT NULL UNIQUE,
  run TEXT NOT NULL,
  body TEXT NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  PRIMARY KEY (device, device_seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX kept_annotation_run ON kept_annotation (run);
ALTER TABLE label_work ADD COLUMN parts TEXT;
CREATE TABLE dwell (
  run INTEGER NOT NULL,
  step INTEGER NOT NULL,
  author TEXT NOT NULL,
  ms INTEGER NOT NULL,
  visits INTEGER NOT NULL,
  class TEXT NOT NULL,
  agreed INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (run, step, author)
) STRICT, WITHOUT ROWID;
CREATE TABLE retro_seen (
  run INTEGER NOT NULL,
  hint TEXT NOT NULL,
  author TEXT NOT NULL,
  PRIMARY KEY (run, hint, author)
) STRICT, WITHOUT ROWID;
`,
};
