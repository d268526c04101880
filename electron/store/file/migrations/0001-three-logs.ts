import type { Migration } from '../database';

/**
 * Run log, outbox and annotation log with their blobs and session bytes; heads and small projections beside
 * them. The logs refuse every UPDATE and DELETE that no committed tombstone of that run allows. Rows that no
 * chain covers and no event explains carry a checksum of their own (`sum`).
 */
export const threeLogs: Migration = {
  version: 1,
  name: 'three logs',
  sql: `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, sum BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE run (id INTEGER PRIMARY KEY, ulid TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL) STRICT;
CREATE TABLE event (
  id INTEGER PRIMARY KEY,
  version INTEGER NOT NULL,
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  purged INTEGER NOT NULL DEFAULT 0,
  body TEXT NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;
CREATE TABLE blob (
  id INTEGER PRIMARY KEY,
  sha BLOB NOT NULL UNIQUE CHECK (length(sha) = 32),
  size INTEGER NOT NULL,
  encoding INTEGER NOT NULL,
  run INTEGER NOT NULL,
  data BLOB
) STRICT;
CREATE TABLE blob_share (blob INTEGER NOT NULL, run INTEGER NOT NULL, PRIMARY KEY (blob, run)) STRICT, WITHOUT ROWID;
CREATE INDEX blob_share_run ON blob_share (run);
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY,
  ulid TEXT NOT NULL UNIQUE,
  run INTEGER NOT NULL REFERENCES run (id),
  purged INTEGER NOT NULL DEFAULT 0,
  body TEXT NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;
CREATE INDEX outbox_run ON outbox (run, id);
CREATE TABLE annotation (
  id INTEGER PRIMARY KEY,
  ulid TEXT NOT NULL UNIQUE,
  run INTEGER NOT NULL REFERENCES run (id),
  author TEXT NOT NULL,
  op TEXT NOT NULL,
  undoes TEXT,
  device TEXT NOT NULL,
  device_seq INTEGER NOT NULL,
  purged INTEGER NOT NULL DEFAULT 0,
  body TEXT NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  UNIQUE (device, device_seq)
) STRICT;
CREATE INDEX annotation_run ON annotation (run, author, id);
CREATE TABLE tombstone (
  run INTEGER NOT NULL REFERENCES run (id),
  mode TEXT NOT NULL CHECK (mode IN ('run', 'text')),
  at INTEGER NOT NULL,
  author TEXT NOT NULL,
  counts TEXT NOT NULL,
  head BLOB NOT NULL,
  done INTEGER NOT NULL DEFAULT 0,
  content BLOB,
  sum BLOB NOT NULL,
  PRIMARY KEY (run, mode)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER event_no_update BEFORE UPDATE ON event
  WHEN NOT EXISTS (SELECT 1 FROM tombstone WHERE run = OLD.id >> 32)
  BEGIN SELECT RAISE(ABORT, 'the run log is append-only'); END;
CREATE TRIGGER event_no_delete BEFORE DELETE ON event
  WHEN NOT EXISTS (SELECT 1 FROM tombstone WHERE run = OLD.id >> 32 AND mode = 'run')
  BEGIN SELECT RAISE(ABORT, 'the run log is append-only'); END;
CREATE TRIGGER outbox_no_update BEFORE UPDATE ON outbox
  WHEN NOT EXISTS (SELECT 1 FROM tombstone WHERE run = OLD.run)
  BEGIN SELECT RAISE(ABORT, 'the outbox is append-only'); END;
CREATE TRIGGER outbox_no_delete BEFORE DELETE ON outbox
  BEGIN SELECT RAISE(ABORT, 'the outbox is append-only'); END;
CREATE TRIGGER annotation_no_update BEFORE UPDATE ON annotation
  WHEN NOT EXISTS (SELECT 1 FROM tombstone WHERE run = OLD.run)
  BEGIN SELECT RAISE(ABORT, 'the annotation log is append-only'); END;
CREATE TRIGGER annotation_no_delete BEFORE DELETE ON annotation
  BEGIN SELECT RAISE(ABORT, 'the annotation log is append-only'); END;
CREATE TRIGGER tombstone_no_delete BEFORE DELETE ON tombstone
  BEGIN SELECT RAISE(ABORT, 'a tombstone stays'); END;

CREATE TABLE run_head (
  run INTEGER PRIMARY KEY REFERENCES run (id),
  seq INTEGER NOT NULL,
  hash BLOB NOT NULL,
  epoch INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  rule_version TEXT,
  rule_seq INTEGER NOT NULL,
  facts TEXT NOT NULL,
  state TEXT NOT NULL
) STRICT;
CREATE TABLE step_head (
  id INTEGER PRIMARY KEY,
  seq0 INTEGER NOT NULL,
  seq1 INTEGER NOT NULL,
  at INTEGER NOT NULL,
  ulid TEXT NOT NULL,
  segment INTEGER NOT NULL,
  kind TEXT NOT NULL,
  tool TEXT NOT NULL,
  title TEXT NOT NULL,
  observation TEXT NOT NULL,
  error_code TEXT,
  exit_code INTEGER,
  bytes INTEGER NOT NULL,
  score REAL,
  flags INTEGER NOT NULL,
  marks INTEGER NOT NULL,
  guards TEXT NOT NULL,
  label INTEGER NOT NULL DEFAULT 0,
  label_flags INTEGER NOT NULL DEFAULT 0,
  label_source TEXT,
  label_reason TEXT,
  rules TEXT NOT NULL DEFAULT '[]',
  authors TEXT NOT NULL DEFAULT '[]',
  comments INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX step_filter ON step_head (id, label, label_flags, flags, tool, score);
CREATE TABLE note (id INTEGER PRIMARY KEY, step INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
CREATE INDEX note_step ON note (step, id);
CREATE TABLE evaluation (
  id INTEGER PRIMARY KEY,
  step INTEGER NOT NULL,
  attempt INTEGER,
  forced INTEGER NOT NULL,
  score REAL
) STRICT;
CREATE TABLE timing (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  previous_at INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE TABLE segment (id INTEGER PRIMARY KEY, segment INTEGER NOT NULL) STRICT;
CREATE TABLE file_revision (
  run INTEGER NOT NULL,
  computer TEXT NOT NULL,
  path TEXT NOT NULL,
  revision INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  step INTEGER NOT NULL,
  before TEXT,
  after TEXT,
  size INTEGER NOT NULL,
  by TEXT NOT NULL,
  PRIMARY KEY (run, computer, path, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_revision_seq ON file_revision (run, seq);
CREATE TABLE query (id INTEGER PRIMARY KEY, step INTEGER NOT NULL, tool TEXT NOT NULL, query TEXT NOT NULL, place TEXT NOT NULL, hits INTEGER) STRICT;
CREATE TABLE session (
  run INTEGER NOT NULL,
  uid TEXT NOT NULL,
  computer TEXT NOT NULL,
  name TEXT NOT NULL,
  rows INTEGER NOT NULL,
  cols INTEGER NOT NULL,
  opened_seq INTEGER NOT NULL,
  ended INTEGER NOT NULL,
  exit_code INTEGER,
  state TEXT NOT NULL,
  command TEXT,
  PRIMARY KEY (run, uid)
) STRICT, WITHOUT ROWID;
CREATE TABLE session_log (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES run (id),
  uid TEXT NOT NULL,
  end_offset INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  sum BLOB NOT NULL,
  UNIQUE (run, uid)
) STRICT;
CREATE TABLE session_chunk (
  log INTEGER NOT NULL REFERENCES session_log (id),
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  host_at INTEGER,
  sha BLOB NOT NULL,
  sum BLOB NOT NULL,
  PRIMARY KEY (log, offset)
) STRICT, WITHOUT ROWID;
CREATE TABLE session_part (
  log INTEGER NOT NULL REFERENCES session_log (id),
  base INTEGER NOT NULL,
  length INTEGER NOT NULL,
  sha BLOB NOT NULL,
  PRIMARY KEY (log, base)
) STRICT, WITHOUT ROWID;
CREATE TABLE hint (
  run INTEGER NOT NULL,
  ulid TEXT NOT NULL,
  number INTEGER NOT NULL,
  text TEXT NOT NULL,
  category TEXT NOT NULL,
  state TEXT NOT NULL,
  author TEXT NOT NULL,
  queued_at INTEGER NOT NULL,
  step INTEGER,
  delivered_at INTEGER,
  position INTEGER,
  PRIMARY KEY (run, ulid)
) STRICT, WITHOUT ROWID;
CREATE TABLE mark (
  run INTEGER NOT NULL,
  level INTEGER NOT NULL,
  block INTEGER NOT NULL,
  annotation INTEGER NOT NULL,
  PRIMARY KEY (run, level, block, annotation)
) STRICT, WITHOUT ROWID;
CREATE TABLE rule_mark (step INTEGER NOT NULL, rule TEXT NOT NULL, verdict TEXT NOT NULL, PRIMARY KEY (step, rule)) STRICT, WITHOUT ROWID;
CREATE TABLE tile (
  id INTEGER PRIMARY KEY,
  n INTEGER NOT NULL,
  train INTEGER NOT NULL,
  mask INTEGER NOT NULL,
  disagreement INTEGER NOT NULL,
  hints INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  score REAL
) STRICT;
CREATE TABLE label_work (id INTEGER PRIMARY KEY, run INTEGER NOT NULL, next INTEGER NOT NULL, last INTEGER NOT NULL) STRICT;
CREATE TABLE task (
  id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  domain TEXT,
  hash TEXT NOT NULL,
  folder TEXT NOT NULL,
  spec TEXT NOT NULL,
  added_at INTEGER NOT NULL,
  sum BLOB NOT NULL
) STRICT, WITHOUT ROWID;
`,
};
