import type { RowView } from '@shared/contract/export-views';
import { expect, it } from 'vitest';
import { ROW_PAGE, RowPages } from './row-pages';
import { tokenRow } from './token-fixtures';

const row = (index: number): RowView => ({ ...tokenRow([]).row, index });

function pagesOf(total: number, fails: number[] = []) {
  const asked: number[] = [];
  const failed: unknown[] = [];
  const pages = new RowPages({
    load: async (from, limit) => {
      asked.push(from);
      if (fails.splice(fails.indexOf(from), fails.includes(from) ? 1 : 0).length > 0) throw new Error('away');
      const rows = Array.from({ length: Math.max(0, Math.min(limit, total - from)) }, (_, at) =>
        row(from + at),
      );
      return { rows, of: total };
    },
    changed: () => undefined,
    failed: (thrown) => failed.push(thrown),
  });
  return { pages, asked, failed };
}
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

it('reads the pages that come into view, each once', async () => {
  const { pages, asked } = pagesOf(1_000);
  pages.show(0, 10);
  pages.show(5, 20);
  await settled();
  expect(asked).toEqual([0]);
  expect(pages.of).toBe(1_000);
  expect(pages.at(17)?.index).toBe(17);
  expect(pages.at(ROW_PAGE + 1)).toBeUndefined();
  pages.show(ROW_PAGE - 1, ROW_PAGE + 1);
  await settled();
  expect(asked).toEqual([0, ROW_PAGE]);
  expect(pages.at(ROW_PAGE + 1)?.index).toBe(ROW_PAGE + 1);
});

it('asks for nothing behind the end', async () => {
  const { pages, asked } = pagesOf(3);
  pages.show(0, 2);
  await settled();
  pages.show(0, 5_000);
  expect(asked).toEqual([0]);
});

it('asks again for what could not be read', async () => {
  const { pages, asked, failed } = pagesOf(3, [0]);
  pages.show(0, 2);
  await settled();
  expect(failed).toHaveLength(1);
  pages.show(0, 2);
  await settled();
  expect(asked).toEqual([0, 0]);
  expect(pages.at(2)?.index).toBe(2);
});
