import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { everyRule } from './rule-set';

/** A row of docs/rules.md. */
function row({
  id,
  version,
  effect,
  hard,
  on,
  text,
  citation,
  parameters,
}: (typeof everyRule)[number]): string {
  const names = Object.entries(parameters)
    .map(([name, value]) => `\`${name}\`${typeof value === 'object' ? '' : ` ${value}`}`)
    .join(', ');
  const what = `${hard ? 'hard ' : ''}${effect}${on ? '' : ', off'}`;
  return `| \`${id}\` ${version} | ${what} | ${text} | ${citation} | ${names} |`;
}

it('is told by the table of docs/rules.md, row by row', () => {
  const doc = readFileSync(join(import.meta.dirname, '../../docs/rules.md'), 'utf8').split('\n');
  const rows = doc.filter((line) => line.startsWith('| `'));
  expect(rows).toEqual(everyRule.map(row));
});
