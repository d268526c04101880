import Database from 'better-sqlite3';
import { nativeBinding } from '../../electron/store/file/native-binding';

/**
 * The rows of another workspace's annotation log into a table of the same shape, in one FULL transaction, and one UPDATE
 * of a step's row for each: no chain is checked, no opinion folded. Seconds.
 */
export function bareMerge(file: string, from: string): number {
  const binding = nativeBinding();
  const options = binding === undefined ? {} : { nativeBinding: binding };
  const source = new Database(from, { ...options, readonly: true });
  const db = new Database(file, options);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec(`CREATE TABLE annotation (id INTEGER PRIMARY KEY, ulid TEXT NOT NULL UNIQUE, device TEXT NOT NULL,
    device_seq INTEGER NOT NULL, body TEXT NOT NULL, hash BLOB NOT NULL, UNIQUE (device, device_seq)) STRICT;
    CREATE TABLE head (id INTEGER PRIMARY KEY, label INTEGER NOT NULL) STRICT;`);
  const rows = source.prepare('SELECT ulid, device, device_seq, body, hash FROM annotation');
  const count = (source.prepare('SELECT count(*) AS n FROM annotation').get() as { n: number }).n;
  const head = db.prepare('INSERT INTO head (id, label) VALUES (?, 0)');
  db.transaction(() => {
    for (let id = 1; id <= count; id += 1) head.run(id);
  })();
  const insert = db.prepare(
    'INSERT INTO annotation (ulid, device, device_seq, body, hash) VALUES (?, ?, ?, ?, ?)',
  );
  const update = db.prepare('UPDATE head SET label = 1 WHERE id = ?');
  const start = performance.now();
  db.transaction(() => {
    let id = 0;
    for (const row of rows.raw().iterate()) {
      insert.run(...(row as unknown[]));
      id += 1;
      update.run(id);
    }
  })();
  const seconds = (performance.now() - start) / 1000;
  db.close();
  source.close();
  return seconds;
}
