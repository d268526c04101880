import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './store-fixtures';

/** What an independent checker of a loader's rules (`electron/testing/loaders/NAME.py`) says of the records. */
export function checkRecords(
  name: string,
  values: readonly unknown[],
  options: { form?: 'jsonl' | 'array'; words?: string[] } = {},
): Record<string, unknown> & { problems: string[] } {
  const file = join(temporaryFolder(), 'records.json');
  const lines = values.map((value) => JSON.stringify(value));
  writeFileSync(
    file,
    options.form === 'array' ? `[${lines.join(',')}]` : lines.map((line) => `${line}\n`).join(''),
  );
  const program = join(import.meta.dirname, 'loaders', `${name}.py`);
  const { stdout, stderr } = spawnSync('python3', [program, file, ...(options.words ?? [])], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout);
}
