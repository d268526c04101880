import { join } from 'node:path';
import Database from 'better-sqlite3';
import { nativeBinding } from '../../electron/store/native-binding';

/** Two bare inserts in two FULL commits per step, the same bytes as ours. Returns steps per second. */
export function bareInserts(
  folder: string,
  steps: readonly { action: string; observation: string }[],
): number {
  const db = new Database(join(folder, 'bare.db'), { nativeBinding: nativeBinding() });
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE event (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT');
  const insert = db.prepare('INSERT INTO event (body) VALUES (?)');
  const start = performance.now();
  for (const step of steps) {
    insert.run(step.action);
    insert.run(step.observation);
  }
  const seconds = (performance.now() - start) / 1000;
  db.close();
  return steps.length / seconds;
}
