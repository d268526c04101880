import type { EventKind, RunEvent } from '@shared/events';

/** Kinds whose bodies may be large. Nobody who listens needs them at once; who does asks by seq. */
const LARGE: ReadonlySet<EventKind> = new Set<EventKind>([
  'segment.started',
  'model.requested',
  'model.answered',
  'step.taught',
  'action.started',
  'action.observed',
  'file.changed',
  'summary.started',
  'summary.rejected',
  'step.inherited',
]);

/** The events that go along with the news of a commit: carrying texts from thread to thread costs as much as storing them. */
export function toldEvents(events: readonly RunEvent[]): RunEvent[] {
  return events.filter(({ kind }) => !LARGE.has(kind));
}
