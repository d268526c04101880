import { openDatabase } from './database';

/** The version of the SQLite that is built into the add-on of this runtime. */
export function sqliteVersion(): string {
  const db = openDatabase(':memory:');
  try {
    return db.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? '';
  } finally {
    db.close();
  }
}
