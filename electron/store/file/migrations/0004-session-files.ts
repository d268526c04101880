import type { Migration } from '../database';

/**
 * Every writer has part files of its own, so rows name them: `file` is null for a part that an earlier version wrote
 * (`<base>.log`), and in `session_log` also where the next chunk begins a part. `epoch`: of the last driver that stored
 * bytes; null in a row that an earlier version wrote.
 */
export const sessionFiles: Migration = {
  version: 4,
  name: 'session files',
  sql: `
ALTER TABLE session_log ADD COLUMN file TEXT;
ALTER TABLE session_log ADD COLUMN epoch INTEGER;
ALTER TABLE session_part ADD COLUMN file TEXT;
`,
};
