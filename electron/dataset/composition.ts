import type { TaskShare } from '@shared/contract/export-views';
import { countMasks, type RowPlan } from './plan';

/** What rows are made of: a line for each version of a task, by domain and task. Steps count once however often a row is repeated. */
export function compositionOf(rows: readonly RowPlan[]): TaskShare[] {
  const tasks = new Map<string, RowPlan[]>();
  for (const row of rows) {
    const { id, hash } = row.run.created.task;
    const key = `${id}\n${hash}`;
    const some = tasks.get(key);
    if (some === undefined) tasks.set(key, [row]);
    else some.push(row);
  }
  return [...tasks.values()]
    .flatMap((some) => {
      const [first] = some;
      if (first === undefined) return [];
      const { id: task, hash, domain } = first.run.created.task;
      const runs = new Set(some.map(({ run }) => run.created.run)).size;
      return [{ task, hash, domain, runs, rows: some.length, ...countMasks(some) }];
    })
    .sort(
      (a, b) => byWord(a.domain ?? '', b.domain ?? '') || byWord(a.task, b.task) || byWord(a.hash, b.hash),
    );
}

function byWord(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
