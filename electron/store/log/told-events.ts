import type { EventKind } from '@shared/log/events';
import type { StoreNotice } from '../notices';

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

/** A notice as it goes from thread to thread: carrying texts over costs as much as storing them. */
export function toldNotice(notice: StoreNotice): StoreNotice {
  return notice.kind === 'run' && notice.events !== null
    ? { ...notice, events: notice.events.filter(({ kind }) => !LARGE.has(kind)) }
    : notice;
}
