import { QueueReader } from './queue/read-queue';
import { AssignmentReader } from './queue/read-queue-assignments';
import { PeopleReader } from './queue/read-queue-people';
import { AttentionReader } from './read-attention';
import { openReadContext, type ReadContext } from './read-context';
import { StatsReader } from './read-stats';
import { WithheldReader } from './read-withheld';

/** What bounded reads are answered from: one connection, and readers that remember what they have folded. */
export interface Reads extends ReadContext {
  assignments: AssignmentReader;
  queue: QueueReader;
  withheld: WithheldReader;
  people: PeopleReader;
  attention: AttentionReader;
  stats: StatsReader;
}

export function readsOf(context: ReadContext): Reads {
  const assignments = new AssignmentReader(context);
  const withheld = new WithheldReader(context, assignments);
  return {
    ...context,
    assignments,
    withheld,
    queue: new QueueReader(context, assignments),
    people: new PeopleReader(context, assignments, withheld),
    attention: new AttentionReader(context),
    stats: new StatsReader(context),
  };
}

/** Opens a connection for bounded reads in this thread. The workspace must have been opened for writing before. */
export function openReads(folder: string, now: () => number = Date.now): { reads: Reads; close(): void } {
  const context = openReadContext(folder, now);
  return { reads: readsOf(context), close: () => context.statements.db.close() };
}
