import Database from 'better-sqlite3';
import { nativeBinding } from './native-binding';

/** The version of the SQLite that is built into the add-on of this runtime. */
export function sqliteVersion(): string {
  const binding = nativeBinding();
  const db = new Database(':memory:', binding === undefined ? {} : { nativeBinding: binding });
  try {
    return db.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? '';
  } finally {
    db.close();
  }
}
