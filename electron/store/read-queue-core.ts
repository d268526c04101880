import { joined, type StepRange } from '@shared/annotations';
import type { Person } from '@shared/review/queue-views';
import { findRun, type ReadContext } from './read-context';
import { QueueReader } from './read-queue';
import { AssignmentReader } from './read-queue-assignments';
import { readBatches, type StandingBatch } from './read-queue-batches';
import { PeopleReader } from './read-queue-people';
import { WithheldReader } from './read-withheld';

const MOST_PEOPLE = 500;

/** Everything about who is to review what, on one connection. */
export class ReviewCore {
  readonly queue: QueueReader;
  readonly withheld: WithheldReader;
  readonly people: PeopleReader;
  private readonly assignments: AssignmentReader;

  constructor(private readonly context: ReadContext) {
    this.assignments = new AssignmentReader(context);
    this.queue = new QueueReader(context, this.assignments);
    this.withheld = new WithheldReader(context, this.assignments);
    this.people = new PeopleReader(context, this.assignments, this.withheld);
  }

  batches(): StandingBatch[] {
    return readBatches(this.assignments);
  }

  assignedSteps(run: string): StepRange[] {
    return joined(this.assignments.of(findRun(this.context, run).id));
  }

  /** Who has said anything, and who was assigned; judges are no people. */
  annotators(): Person[] {
    const { statements } = this.context;
    const people = new Map<string, Person>();
    const authors = statements.all<Person>(
      `SELECT author AS uuid, (SELECT body ->> '$.author.name' FROM annotation l WHERE l.id = max(a.id)) AS name
       FROM annotation a WHERE purged = 0 AND author NOT LIKE 'judge:%' GROUP BY author LIMIT ${MOST_PEOPLE}`,
    );
    for (const person of authors) people.set(person.uuid, person);
    for (const { people: assigned } of this.batches()) {
      for (const { person } of assigned) if (!people.has(person.uuid)) people.set(person.uuid, person);
    }
    return [...people.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}
