import type { Migration } from '../database';

/** What `isId` says, with bytes counted: a NUL would end the text for GLOB. Keep the two alike. */
const isId = (column: string) =>
  `${column} GLOB '[0-7]*' AND ${column} NOT GLOB '*[^0-9A-HJKMNP-TV-Z]*' AND length(CAST(${column} AS BLOB)) = 26`;

const checked = (table: string, columns: readonly string[]) => `
CREATE TRIGGER ${table}_id_checked BEFORE INSERT ON ${table}
  WHEN NOT (${columns.map((column) => `(${isId(`NEW.${column}`)})`).join(' AND ')})
  BEGIN SELECT RAISE(ABORT, 'this is no id'); END;`;

/**
 * Ids are checked where rows are made; SQLite adds no CHECK to a table that is there. Rows that came before stay: the writer sets
 * a run aside whose id is none, each time a workspace is opened (`quarantine`).
 */
export const ids: Migration = {
  version: 6,
  name: 'ids',
  sql: `${checked('run', ['ulid'])}${checked('outbox', ['ulid'])}${checked('annotation', ['ulid'])}${checked('kept_annotation', ['ulid', 'run'])}
CREATE TRIGGER run_keeps_id BEFORE UPDATE OF id, ulid ON run
  BEGIN SELECT RAISE(ABORT, 'a run keeps its id'); END;
`,
};
