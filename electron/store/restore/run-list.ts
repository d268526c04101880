import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { isId } from '@shared/contract/id';
import { shownId } from '../../files/workspace-paths';
import { namesIn } from '../file/names-in';
import { MAX_RUN, rowId, type Statements } from '../file/rows';
import { guarded } from './table-copy';

export interface RunRow {
  /** Number under which its rows lie. */
  id: number;
  ulid: string;
  created_at: number;
}

export interface RunListSources {
  backup: Statements | null;
  damaged: Statements | null;
  from: string | null;
  notes: string[];
}

/**
 * Runs of both sources under their numbers, which they share; those too that the list of runs has lost and whose log is
 * there. @throws WaymarkError bad_input
 */
export function runRows({ backup, damaged, from, notes }: RunListSources): RunRow[] {
  const read = (source: Statements | null) => {
    const rows: RunRow[] = [];
    guarded(
      (why) => notes.push(`The list of runs: ${why}`),
      () => rows.push(...(source?.all<RunRow>('SELECT id, ulid, created_at FROM run ORDER BY id') ?? [])),
    );
    for (const { ulid } of rows.filter((row) => !isId(row.ulid))) {
      notes.push(`${shownId(ulid)} is used as a run, but is not a valid id: it was left out.`);
    }
    return rows.filter((row) => isId(row.ulid));
  };
  const copied = new Map(read(backup).map((row) => [row.id, row]));
  const own = read(damaged);
  const common = own.filter(({ id }) => copied.has(id));
  const same = common.some(({ id, ulid }) => {
    const expected = copied.get(id)?.ulid;
    return ulid === expected || beginningOf(damaged, id, notes) === expected;
  });
  if (common.length > 0 && !same) {
    throw new WaymarkError(
      'bad_input',
      `The backup is of another workspace than ${from}. Choose one from its own backups folder.`,
    );
  }
  // The copy was checked when it was made and again now; the workspace's own list may be what is damaged.
  const all = new Map([...own.map((row) => [row.id, row] as const), ...copied]);
  for (const id of damaged === null ? [] : loggedRuns(damaged)) {
    if (all.has(id)) continue;
    const ulid = beginningOf(damaged, id, notes);
    // Its time is read from its log.
    if (isId(ulid)) all.set(id, { id, ulid, created_at: 0 });
    else
      notes.push(
        `A run is missing: number ${id} is not in the list of runs, and the beginning of its log is lost.`,
      );
  }
  return [...all.values()].sort((a, b) => a.id - b.id);
}

/** Numbers of the runs that have events, by the key of the next one each time. */
function loggedRuns(source: Statements): number[] {
  const found: number[] = [];
  guarded(
    // The log that is read next says what is damaged.
    () => undefined,
    () => {
      for (let id = 0; id < MAX_RUN; ) {
        const next = source.get<{ id: number }>(
          'SELECT id FROM event WHERE id >= ? ORDER BY id LIMIT 1',
          rowId(id + 1, 0),
        );
        if (next === undefined) return;
        id = Math.floor(next.id / rowId(1, 0));
        found.push(id);
      }
    },
  );
  return found;
}

/** The run that the damaged log names in its first event. */
function beginningOf(damaged: Statements | null, id: number, notes: string[]): string | undefined {
  let ulid: string | undefined;
  guarded(
    (why) => notes.push(`The first event of run ${id}: ${why}`),
    () => {
      const sql = "SELECT json_extract(body, '$.run') AS run FROM event WHERE id = ?";
      ulid = damaged?.get<{ run: string | null }>(sql, rowId(id, 1))?.run ?? undefined;
    },
  );
  return ulid;
}

/** Runs that left files in a workspace whose database cannot be read. */
export function runsWithFiles(folder: string): string[] {
  const found = new Set<string>();
  for (const kind of ['runs', 'sessions', 'checkpoints']) {
    for (const name of namesIn(join(folder, kind))) if (isId(name)) found.add(name);
  }
  return [...found].sort();
}
