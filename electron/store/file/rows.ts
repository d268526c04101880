import type { Db, Statement } from './database';

/** Rows of a run share their key's upper bits, so order, range and gap check need one key. */
const SHIFT = 2 ** 32;

/** Largest run number whose keys are still safe integers. */
export const MAX_RUN = 2 ** 21 - 1;

/** Key of event `seq` or of step `seq` of a run. */
export function rowId(run: number, seq: number): number {
  return run * SHIFT + seq;
}

/** The per-run number (seq or step) inside a key. */
export function seqOf(id: number): number {
  return id % SHIFT;
}

export const LAST_SEQ = SHIFT - 1;

/** Steps per minimap tile. */
export const TILE_STEPS = 64;

/** Key of the tile that holds a step; steps count from 1. */
export function tileId(run: number, step: number): number {
  return rowId(run, Math.floor((step - 1) / TILE_STEPS));
}

/** One row of a prepared statement, typed by the caller who wrote the SQL beside it. */
export function one<T>(statement: Statement, ...parameters: unknown[]): T | undefined {
  return statement.get(...parameters) as T | undefined;
}

export function all<T>(statement: Statement, ...parameters: unknown[]): T[] {
  return statement.all(...parameters) as T[];
}

/** `= ?`, `IS ?`, `LIMIT ?` or the same with a named parameter. */
const LOOKED_AT = /(?<![<>!])(=|\bIS|\bLIMIT)( *)(?=[?:@$])/g;

/**
 * A text whose plan hangs on no value. SQLite compiles a statement with a join, an order or a limit anew when a value that its plan
 * could hang on is bound or taken off, and better-sqlite3 takes all of them off after each call: such statements were compiled with
 * every call, which takes ten times what running them does. A sign before the parameter changes neither its value nor the index that is
 * used, and hides it from the planner. So the column of a partial index is compared with a literal, never with a parameter.
 */
export function compiledOnce(sql: string): string {
  return sql.replace(LOOKED_AT, '$1$2+');
}

/** Prepares each SQL text of a connection once. */
export class Statements {
  private readonly prepared = new Map<string, Statement>();

  constructor(readonly db: Db) {}

  prepare(sql: string): Statement {
    let statement = this.prepared.get(sql);
    if (statement === undefined) {
      statement = this.db.prepare(compiledOnce(sql));
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
