import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { nativeBinding } from '../../electron/store/file/native-binding';

/**
 * What an export cannot do without: reads every event of a run with the texts that it names, parses it, makes JSON of it again and
 * writes that, and nothing else. Milliseconds.
 */
export function bareRows(workspace: string, run: string, target: string): number {
  const binding = nativeBinding();
  const options = { readonly: true, ...(binding === undefined ? {} : { nativeBinding: binding }) };
  const db = new Database(join(workspace, 'workspace.db'), options);
  const file = openSync(target, 'w');
  const before = performance.now();
  try {
    const { id } = db.prepare('SELECT id FROM run WHERE ulid = ?').get(run) as { id: number };
    const find = db.prepare('SELECT encoding, data FROM blob WHERE sha = ?');
    const named = (_: string, value: unknown) => {
      const sha = typeof value === 'object' && value !== null ? (value as { $text?: string }).$text : undefined;
      if (sha === undefined) return value;
      const hex = sha.replace('base64:', '');
      const { encoding, data } = find.get(Buffer.from(hex, 'hex')) as { encoding: number; data: Buffer | null };
      const bytes = data ?? readFileSync(join(workspace, 'blobs', hex.slice(0, 2), hex));
      return (encoding % 2 === 1 ? inflateRawSync(bytes) : bytes).toString();
    };
    const rows = db.prepare('SELECT body FROM event WHERE id BETWEEN ? AND ? ORDER BY id').pluck();
    const wide = 2 ** 32;
    for (const body of rows.iterate(id * wide, id * wide + wide - 1))
      writeSync(file, `${JSON.stringify(JSON.parse(body as string, named))}\n`);
  } finally {
    closeSync(file);
    db.close();
  }
  return performance.now() - before;
}
