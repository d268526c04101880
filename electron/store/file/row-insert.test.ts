import { expect, test } from 'vitest';
import { openDatabase } from './database';
import { RowInsert } from './row-insert';
import { Statements } from './rows';

test('any number of rows go in, in their order, and lie side by side', () => {
  const db = openDatabase('');
  db.exec('CREATE TABLE word (id INTEGER PRIMARY KEY, said TEXT NOT NULL, bytes BLOB NOT NULL) STRICT');
  const insert = new RowInsert(new Statements(db), 'INSERT INTO word (said, bytes)', '(?, unhex(?))', 2);
  const wanted: { id: number; said: string; bytes: string }[] = [];
  for (const count of [1, 7, 8, 31, 32, 33, 107]) {
    const rows = Array.from({ length: count }, (_, index) => [`${count}.${index}`, `0${index % 10}`]);
    const before = wanted.length;
    for (const [said = '', bytes = ''] of rows) wanted.push({ id: wanted.length + 1, said, bytes });
    expect(insert.run(rows.flat())).toBe(before + count);
  }
  expect(db.prepare('SELECT id, said, hex(bytes) AS bytes FROM word ORDER BY id').all()).toEqual(wanted);
  insert.run([]);
  expect(db.prepare('SELECT count(*) FROM word').pluck().get()).toBe(wanted.length);
  db.close();
});
