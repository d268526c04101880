import { joined, type StepRange } from '../../contract/step-range';
import type { StepAssignment } from '../../contract/views';
import type { AnnotationEntry, Author } from '../../log/annotations';
import { foldAnnotations } from '../annotation-fold';
import { isFor } from './withhold';

/** What is assigned in one run. */
export interface AssignedRange extends StepRange {
  assigned: StepAssignment[];
}

/** Steps by who is to review them. `entries`: all assignments of the run and the undo entries about them. */
export function assignedRanges(entries: readonly AnnotationEntry[]): AssignedRange[] {
  return foldAnnotations(entries).ranges.flatMap(({ from, to, decisions: { assigned } }) =>
    assigned.length === 0 ? [] : [{ from, to, assigned }],
  );
}

/** A person's part of a run. A step that is theirs both ways is blind. */
export interface Part {
  all: StepRange[];
  blind: StepRange[];
}

export function partOf(ranges: readonly AssignedRange[], person: Author): Part {
  const own = ranges.filter(({ assigned }) => assigned.some(({ to }) => isFor(to, person)));
  const blind = own.filter(({ assigned }) => assigned.some((each) => each.blind && isFor(each.to, person)));
  return { all: joined(own), blind: joined(blind) };
}
