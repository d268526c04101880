import { WaymarkError } from '@shared/contract/errors';
import type { StoredTask } from '../values';
import type { ReadContext } from './read-context';

interface TaskRow {
  id: string;
  title: string;
  domain: string | null;
  hash: string;
  folder: string;
  spec: string;
  added_at: number;
}

function toTask(row: TaskRow): StoredTask {
  const { id, title, domain, hash, folder } = row;
  return {
    id,
    title,
    domain,
    hash,
    folder,
    spec: JSON.parse(row.spec) as Record<string, unknown>,
    addedAt: row.added_at,
  };
}

/** All tasks of the workspace, by id. */
export function readTasks({ statements }: ReadContext): StoredTask[] {
  return statements.all<TaskRow>('SELECT * FROM task ORDER BY id').map(toTask);
}

/** Throws `not_found`. */
export function readTask({ statements }: ReadContext, id: string): StoredTask {
  const row = statements.get<TaskRow>('SELECT * FROM task WHERE id = ?', id);
  if (row === undefined) {
    throw new WaymarkError('not_found', `There is no task "${id}" in this workspace. Add it first.`);
  }
  return toTask(row);
}
