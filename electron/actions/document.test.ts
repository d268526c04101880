import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { actionsPage } from './document';

const path = resolve(import.meta.dirname, '../../docs/actions.md');

test('docs/actions.md says what the table says', () => {
  const page = actionsPage();
  if (process.env.UPDATE_DOCS === '1') writeFileSync(path, page);
  expect(
    readFileSync(path, 'utf8'),
    'docs/actions.md is out of date; refresh it with: UPDATE_DOCS=1 npx vitest run electron/actions/document',
  ).toBe(page);
});
