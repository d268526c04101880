import type { Db, Statement } from './database';

/** One row of a prepared statement, typed by the caller who wrote the SQL beside it. */
export function one<T>(statement: Statement, ...parameters: unknown[]): T | undefined {
  return statement.get(...parameters) as T | undefined;
}

export function all<T>(statement: Statement, ...parameters: unknown[]): T[] {
  return statement.all(...parameters) as T[];
}

/** Prepares each SQL text of a connection once. */
export class Statements {
  private readonly prepared = new Map<string, Statement>();

  constructor(readonly db: Db) {}

  prepare(sql: string): Statement {
    let statement = this.prepared.get(sql);
    if (statement === undefined) {
      statement = this.db.prepare(sql);
      this.prepared.set(sql, statement);
    }
    return statement;
  }

  run(sql: string, ...parameters: unknown[]): { changes: number; lastInsertRowid: number | bigint } {
    return this.prepare(sql).run(...parameters);
  }

  get<T>(sql: string, ...parameters: unknown[]): T | undefined {
    return one<T>(this.prepare(sql), ...parameters);
  }

  all<T>(sql: string, ...parameters: unknown[]): T[] {
    return all<T>(this.prepare(sql), ...parameters);
  }
}
