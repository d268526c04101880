import type { Person } from '@shared/labels/review/queue-views';
import type { ReadContext } from './read-context';
import type { AssignmentReader } from './read-queue-assignments';
import { readBatches } from './read-queue-batches';

/** Who has said anything, and who was assigned, by name; judges are no people. */
export function readAnnotators({ statements }: ReadContext, assignments: AssignmentReader): Person[] {
  const people = new Map<string, Person>();
  const authors = statements.all<Person>(
    `SELECT author AS uuid, body ->> '$.author.name' AS name FROM annotation
     WHERE id IN (SELECT max(id) FROM annotation WHERE purged = 0 AND author NOT LIKE 'judge:%' GROUP BY author)`,
  );
  for (const person of authors) people.set(person.uuid, person);
  for (const { people: assigned } of readBatches(assignments)) {
    for (const { person } of assigned) if (!people.has(person.uuid)) people.set(person.uuid, person);
  }
  return [...people.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
