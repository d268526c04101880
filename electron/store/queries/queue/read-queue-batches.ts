import { assignedRanges } from '@shared/labels/review/assigned-ranges';
import type { AssignBatch } from '@shared/labels/review/queue-views';
import type { AnnotationEntry } from '@shared/log/annotations';
import type { AssignmentReader } from './read-queue-assignments';

/** A batch with the entries of it that still hold somewhere. */
export interface StandingBatch extends AssignBatch {
  entries: AnnotationEntry[];
}

/** Batches of assignments that stand, the newest first. */
export function readBatches(assignments: AssignmentReader): StandingBatch[] {
  const batches = new Map<string, StandingBatch>();
  for (const { id, ulid } of assignments.runs()) {
    const known = new Map(assignments.entries(id).map((entry) => [entry.ulid, entry]));
    for (const { from, to, assigned } of assignedRanges([...known.values()])) {
      const touched = new Set<StandingBatch>();
      for (const { entry: id, batch: name, to: person, blind } of assigned) {
        const entry = known.get(id);
        if (entry === undefined) continue;
        const batch = batches.get(name) ?? {
          batch: name,
          at: entry.at,
          by: entry.author.name,
          people: [],
          runs: [],
          steps: 0,
          entries: [],
        };
        batches.set(name, batch);
        touched.add(batch);
        if (!batch.entries.includes(entry)) batch.entries.push(entry);
        if (!batch.runs.includes(ulid)) batch.runs.push(ulid);
        let share = batch.people.find((each) => each.person.uuid === person.uuid);
        if (share === undefined) {
          share = { person, steps: 0, blind: 0 };
          batch.people.push(share);
        }
        share.steps += to - from + 1;
        if (blind) share.blind += to - from + 1;
      }
      for (const batch of touched) batch.steps += to - from + 1;
    }
  }
  return [...batches.values()].sort((a, b) => (a.batch < b.batch ? 1 : -1));
}
