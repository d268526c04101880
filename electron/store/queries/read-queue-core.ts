import { joined, type StepRange } from '@shared/contract/step-range';
import type { TimedDecision } from '@shared/labels/review/pace';
import type { PeopleReport, Person, QueueItem, QueueView } from '@shared/labels/review/queue-views';
import type { Author } from '@shared/log/annotations';
import type { ReviewReader } from '../api';
import { storeFailure } from '../file/database';
import { readDwell } from '../log/dwell-log';
import { findRun, type ReadContext } from './read-context';
import { type QueuePlace, QueueReader } from './read-queue';
import { AssignmentReader } from './read-queue-assignments';
import { readBatches, type StandingBatch } from './read-queue-batches';
import { PeopleReader } from './read-queue-people';
import { type Withheld, WithheldReader, type WithheldRun } from './read-withheld';

/** Bounded reads about who is to review what, on one connection. */
export class ReviewCore implements ReviewReader {
  private readonly assignments: AssignmentReader;
  private readonly queue: QueueReader;
  private readonly hiding: WithheldReader;
  private readonly team: PeopleReader;

  constructor(protected readonly context: ReadContext) {
    this.assignments = new AssignmentReader(context);
    this.queue = new QueueReader(context, this.assignments);
    this.hiding = new WithheldReader(context, this.assignments);
    this.team = new PeopleReader(context, this.assignments, this.hiding);
  }

  queueView(person: Author, open: string | null): Promise<QueueView> {
    return this.read(() => this.queue.view(person, open));
  }

  queueNext(
    person: Author,
    open: string | null,
    from: QueuePlace | null,
    direction: 1 | -1,
  ): Promise<QueueItem | null> {
    return this.read(() => this.queue.next(person, open, from, direction));
  }

  withheld(run: string, person: Author, from: number, to: number): Promise<Withheld | null> {
    return this.read(() => this.hiding.of(run, person, from, to));
  }

  withheldRuns(person: Author): Promise<WithheldRun[]> {
    return this.read(() => this.hiding.runs(person));
  }

  batches(): Promise<StandingBatch[]> {
    return this.read(() => readBatches(this.assignments));
  }

  assignedSteps(run: string): Promise<StepRange[]> {
    return this.read(() => joined(this.assignments.of(findRun(this.context, run).id)));
  }

  annotators(): Promise<Person[]> {
    return this.read(() => this.knownPeople());
  }

  people(viewer: Author, runs: readonly string[]): Promise<PeopleReport> {
    return this.told(this.team.report(viewer, runs));
  }

  dwell(author: string): Promise<TimedDecision[]> {
    return this.read(() => readDwell(this.context.statements, author));
  }

  /** Like `read`, for what lets others be answered in between. */
  protected told<T>(work: Promise<T>): Promise<T> {
    return work.catch((thrown: unknown) => {
      throw storeFailure(thrown, `the workspace ${this.context.folder}`);
    });
  }

  protected read<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      try {
        resolve(work());
      } catch (thrown) {
        reject(storeFailure(thrown, `the workspace ${this.context.folder}`));
      }
    });
  }

  /** Who has said anything, and who was assigned; judges are no people. */
  private knownPeople(): Person[] {
    const people = new Map<string, Person>();
    const authors = this.context.statements.all<Person>(
      `SELECT author AS uuid, body ->> '$.author.name' AS name FROM annotation
       WHERE id IN (SELECT max(id) FROM annotation WHERE purged = 0 AND author NOT LIKE 'judge:%' GROUP BY author)`,
    );
    for (const person of authors) people.set(person.uuid, person);
    for (const { people: assigned } of readBatches(this.assignments)) {
      for (const { person } of assigned) if (!people.has(person.uuid)) people.set(person.uuid, person);
    }
    return [...people.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}
