import { type TaskOverlap, type TaskText, taskOverlaps } from '@shared/experiments/task-overlap';
import { rowId } from '../file/rows';
import { type ReadContext, readEvents } from './read-context';

const FIRST = rowId(1, 0);
/** Of a description; what is longer is compared by its beginning. */
const MOST_TEXT = 50_000;

/** A version of a task: its name and the hash of its package. */
export interface TaskKey {
  task: string;
  hash: string;
}

/**
 * Which tasks of `ones` are in `others` as well, or share passages of their descriptions, as the runs of this workspace pinned them. A
 * version that no run has is compared by its name and hash alone.
 */
export function readTaskOverlap(
  context: ReadContext,
  ones: readonly TaskKey[],
  others: readonly TaskKey[],
): TaskOverlap[] {
  const texts = pinnedTexts(context, new Set([...ones, ...others].map(({ hash }) => hash)));
  const textOf = ({ task, hash }: TaskKey): TaskText => {
    const pinned = texts.get(hash);
    return pinned === undefined ? { task, hash, title: task, text: '' } : { ...pinned, task };
  };
  return taskOverlaps(distinct(ones).map(textOf), distinct(others).map(textOf));
}

function distinct(keys: readonly TaskKey[]): TaskKey[] {
  return [...new Map(keys.map((key) => [`${key.task}\n${key.hash}`, key])).values()];
}

/** By hash. A long description lies apart from its event, so the first run of each version is read whole. */
function pinnedTexts(context: ReadContext, hashes: ReadonlySet<string>): Map<string, TaskText> {
  const rows = context.statements.all<{ id: number; ulid: string; seq: number }>(
    `SELECT r.id, r.ulid, h.seq FROM run r JOIN run_head h ON h.run = r.id WHERE r.id IN (
       SELECT min(e.id / ${FIRST}) FROM run o JOIN event e ON e.id = o.id * ${FIRST} + 1
       WHERE e.kind = 'run.created' AND json_extract(e.body, '$.task.hash') IN (SELECT value FROM json_each(?))
       GROUP BY json_extract(e.body, '$.task.hash'))`,
    JSON.stringify([...hashes]),
  );
  return new Map(
    rows.flatMap((run) =>
      readEvents(context, run, 1, 1, 1).flatMap((event): [string, TaskText][] => {
        if (event.kind !== 'run.created') return [];
        const { id: task, hash, title } = event.body.task;
        const { description } = event.body.spec;
        return [
          [
            hash,
            {
              task,
              hash,
              title,
              text: typeof description === 'string' ? description.slice(0, MOST_TEXT) : '',
            },
          ],
        ];
      }),
    ),
  );
}
