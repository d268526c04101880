import type { Migration } from '../database';

const hashIn = (table: string) =>
  `(SELECT hash FROM ${table} l WHERE l.device = e.device AND l.device_seq = e.seq)`;

/**
 * How far the annotation log of each device goes, and the last link of its chain: entries that were cut from the end leave no gap.
 * Whatever stores entries notes it in their transaction (`noteEnd`, not a trigger: a merge stores thousands of one device at once); it only grows.
 */
export const annotationEnds: Migration = {
  version: 8,
  name: 'annotation ends',
  sql: `
CREATE TABLE annotation_end (
  device TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT, WITHOUT ROWID;
INSERT INTO annotation_end (device, seq, hash)
  SELECT e.device, e.seq, coalesce(${hashIn('annotation')}, ${hashIn('kept_annotation')})
  FROM (SELECT device, max(device_seq) AS seq
        FROM (SELECT device, device_seq FROM annotation UNION ALL SELECT device, device_seq FROM kept_annotation)
        GROUP BY device) e;
CREATE TRIGGER annotation_end_no_delete BEFORE DELETE ON annotation_end
  BEGIN SELECT RAISE(ABORT, 'the end of a log stays'); END;
CREATE TRIGGER annotation_end_grows BEFORE UPDATE ON annotation_end
  WHEN NEW.seq <= OLD.seq OR NEW.device <> OLD.device
  BEGIN SELECT RAISE(ABORT, 'the end of a log stays'); END;
`,
};
