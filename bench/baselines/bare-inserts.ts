import { join } from 'node:path';
import Database from 'better-sqlite3';
import { nativeBinding } from '../../electron/store/file/native-binding';

/** Two bare inserts in two FULL commits per step, and nothing else. */
export class BareInserts {
  private readonly db: Database.Database;
  private readonly insert: Database.Statement;

  constructor(folder: string) {
    const binding = nativeBinding();
    this.db = new Database(join(folder, 'bare.db'), binding === undefined ? {} : { nativeBinding: binding });
    this.db.pragma('journal_mode = WAL');
    this.db.pragma('synchronous = FULL');
    this.db.exec('CREATE TABLE event (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT');
    this.insert = this.db.prepare('INSERT INTO event (body) VALUES (?)');
  }

  /** Writes the steps; the seconds it took. */
  write(steps: readonly { action: string; observation: string }[]): number {
    const start = performance.now();
    for (const step of steps) {
      this.insert.run(step.action);
      this.insert.run(step.observation);
    }
    return (performance.now() - start) / 1000;
  }

  close(): void {
    this.db.close();
  }
}
