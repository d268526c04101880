import type { NewEvent } from '@shared/log/events';
import type { WorkingTime } from '@shared/runs/working-time';
import { rowId } from '../file/rows';
import type { ReadContext } from './read-context';

/** One of the few events that working time counts by. */
export interface TimingRow {
  id: number;
  kind: string;
  at: number;
  previous_at: number;
  body: string;
}

/** Those of the run `run` (its number) between two events, in order. */
export function timingRows({ statements }: ReadContext, run: number, from: number, to: number): TimingRow[] {
  return statements.all<TimingRow>(
    'SELECT id, kind, at, previous_at, body FROM timing WHERE id BETWEEN ? AND ? ORDER BY id',
    rowId(run, from),
    rowId(run, to),
  );
}

export const timingEvent = ({ kind, body }: Pick<TimingRow, 'kind' | 'body'>) =>
  ({ kind, body: JSON.parse(body) as unknown }) as NewEvent;

/** Applies a row with the stamp of the event before it, which a dead driver's time ends with. */
export function applyTiming(time: Pick<WorkingTime, 'apply'>, row: TimingRow): void {
  time.apply({ kind: 'hint.undelivered', body: { ids: [] } }, row.previous_at);
  time.apply(timingEvent(row), row.at);
}
