import { join } from 'node:path';
import Database from 'better-sqlite3';
import { nativeBinding } from '../../electron/store/file/native-binding';

/** The raw API on the index file of a workspace: a query as FTS5 takes it, and nothing else. */
export class RawFts {
  private readonly db: Database.Database;

  constructor(folder: string) {
    const binding = nativeBinding();
    this.db = new Database(join(folder, 'search.db'), {
      readonly: true,
      ...(binding === undefined ? {} : { nativeBinding: binding }),
    });
    this.db.pragma('cache_size = -16384');
  }

  /** Milliseconds for the first ten rows from a row on. */
  page(match: string, from: number): number {
    const find = this.db.prepare(
      'SELECT rowid FROM step WHERE step MATCH ? AND rowid >= CAST(? AS INTEGER) ORDER BY rowid LIMIT 10',
    );
    const start = performance.now();
    find.all(match, from);
    return performance.now() - start;
  }

  close(): void {
    this.db.close();
  }
}
