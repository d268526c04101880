import { join } from 'node:path';
import Database from 'better-sqlite3';
import { nativeBinding } from '../../electron/store/file/native-binding';

/** One bare insert in one FULL commit per step, and nothing else. Seconds for all of them. */
export function bareInsertPerStep(folder: string, texts: readonly string[]): number {
  const binding = nativeBinding();
  const db = new Database(join(folder, 'bare.db'), binding === undefined ? {} : { nativeBinding: binding });
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE event (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT');
  const insert = db.prepare('INSERT INTO event (body) VALUES (?)');
  const start = performance.now();
  for (const text of texts) insert.run(text);
  const seconds = (performance.now() - start) / 1000;
  db.close();
  return seconds;
}
