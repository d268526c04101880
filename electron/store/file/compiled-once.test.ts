import { expect, test } from 'vitest';
import { openDatabase } from './database';
import { compiledOnce, Statements } from './rows';

test.each([
  ['SELECT 1 FROM run WHERE ulid = ?', 'SELECT 1 FROM run WHERE ulid = +?'],
  ['WHERE device = :device AND seq=?', 'WHERE device = +:device AND seq=+?'],
  ['WHERE a IS ? AND b IS NOT ? AND c is @c', 'WHERE a IS +? AND b IS NOT ? AND c is @c'],
  ['UPDATE t SET a = ?, b = ? WHERE id = ?', 'UPDATE t SET a = +?, b = +? WHERE id = +?'],
  ['WHERE a >= ? AND b <= ? AND c != ? LIMIT ?', 'WHERE a >= ? AND b <= ? AND c != ? LIMIT +?'],
  ['VALUES (?, ?)', 'VALUES (?, ?)'],
])('%s is compiled as %s', (sql, compiled) => {
  expect(compiledOnce(sql)).toBe(compiled);
});

test('values are compared, stored and found by an index as without the sign', () => {
  const db = openDatabase('');
  db.exec(
    'CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE, number INTEGER, bytes BLOB, any ANY) STRICT',
  );
  const statements = new Statements(db);
  statements.run("INSERT INTO t VALUES (1, '7', 7, x'07', NULL), (2, 'a', NULL, NULL, 'x')");
  const bytes = Buffer.from([7]);
  for (const [column, value] of [
    ['name', '7'],
    ['name', 7],
    ['number', 7],
    ['number', 7n],
    ['number', '7'],
    ['bytes', bytes],
    ['any', 'x'],
    ['any', 7],
    ['any', null],
  ] as const) {
    const sql = `SELECT id FROM t WHERE ${column} = ? ORDER BY id`;
    expect(statements.all(sql, value), `${column} = ${String(value)}`).toEqual(db.prepare(sql).all(value));
    const same = `SELECT id FROM t WHERE ${column} IS ? ORDER BY id`;
    expect(statements.all(same, value), `${column} IS ${String(value)}`).toEqual(db.prepare(same).all(value));
  }
  statements.run(
    'UPDATE t SET name = ?, number = ?, bytes = ?, any = ? WHERE id = ?',
    'b',
    2 ** 40,
    bytes,
    1.5,
    2,
  );
  expect(db.prepare('SELECT * FROM t WHERE id = 2').raw().get()).toEqual([2, 'b', 2 ** 40, bytes, 1.5]);
  const found = 'EXPLAIN QUERY PLAN SELECT id FROM t WHERE name = ? ORDER BY id';
  expect(statements.all(found, 'b')).toMatchObject([
    { detail: 'SEARCH t USING COVERING INDEX sqlite_autoindex_t_1 (name=?)' },
  ]);
  db.close();
});
