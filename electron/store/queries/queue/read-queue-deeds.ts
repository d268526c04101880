import { paceOf, type TimedDecision, workByPlace } from '@shared/labels/review/pace';
import { machineAt, type PersonDeeds, type RunWork } from '@shared/labels/review/people';
import type { Person } from '@shared/labels/review/queue-views';
import type { LabelValue } from '@shared/log/annotations';
import type { ReadContext } from '../read-context';

/** Entries per turn of the thread. */
const PAGE = 4_000;

/** What is needed of one entry. */
interface Deed {
  id: number;
  run: number;
  ulid: string;
  op: string;
  undoes: string | null;
  author: string;
  name: string;
  at: number;
  says: string | number | null;
  dwell: number | null;
  from: number;
  to: number;
}

/** Entries of people in these runs, in the order they were stored; judges' votes and assignments are no work of this kind. */
export async function readDeeds(context: ReadContext, runs: readonly number[]): Promise<Deed[]> {
  const found: Deed[] = [];
  for (const run of runs) {
    for (let after = 0; ; ) {
      const page = context.statements.all<Deed>(
        `SELECT id, run, ulid, op, undoes, author, body ->> '$.author.name' AS name, body ->> '$.at' AS at,
           coalesce(body ->> '$.body.value', body ->> '$.body.on') AS says, body ->> '$.body.dwellMs' AS dwell,
           body ->> '$.target.from' AS "from", body ->> '$.target.to' AS "to"
         FROM annotation WHERE run = ? AND id > ? AND purged = 0
           AND op NOT IN ('judge', 'reward', 'assign') ORDER BY id LIMIT ${PAGE}`,
        run,
        after,
      );
      found.push(...page);
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) break;
      after = last.id;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return found;
}

/** One run's people. Work is counted over all runs read, so that who goes to and fro is not counted twice. */
export function deedsOf(
  deeds: readonly Deed[],
  run: { id: number; ulid: string },
  machine: RunWork['machine'],
): PersonDeeds[] {
  const people = new Map<string, Person>();
  for (const { run: at, author, name } of deeds) {
    if (at === run.id) people.set(author, { uuid: author, name });
  }
  const undone = new Set(deeds.flatMap(({ undoes }) => (undoes === null ? [] : [undoes])));
  return [...people.values()].map((person) => {
    const all = deeds.filter(({ author }) => author === person.uuid);
    const own = all.filter((deed) => deed.run === run.id);
    const work = workByPlace(all.map(({ at, run: place }) => ({ at, place: String(place) })));
    return {
      person,
      workMs: work.get(String(run.id)) ?? 0,
      flags: own.filter(({ op, says, ulid }) => op === 'flag' && says === 1 && !undone.has(ulid)).length,
      times: timesOf(run.ulid, own, machine),
    };
  });
}

function timesOf(run: string, own: readonly Deed[], machine: RunWork['machine']): PersonDeeds['times'] {
  const timed = own.flatMap(({ op, from, to, at, dwell, says }): TimedDecision[] => {
    if (op !== 'label' || dwell === null || from !== to || says === 'clear') return [];
    const agreed = machineAt(machine, from) === (says as LabelValue);
    return [{ run, step: from, at, ms: dwell, class: null, agreed }];
  });
  const { decisions, medianMs, streaks } = paceOf(timed);
  return medianMs === null ? null : { decisions, medianMs, streaks };
}
