import { readerIn } from '../../store/queries/answers';
import { findRun, readEvents } from '../../store/queries/read-context';
import type { Reads } from '../../store/queries/reads';
import { readRuleMarks } from '../../store/queries/rule-marks';
import { readSomeEvents } from '../../store/queries/some-events';
import type { DatasetReader } from '../event-pages';
import type { ExportGate } from './export-gate';

/** What a dataset's thread has besides: it reads in its own thread, and so only what it needs. */
export type ThreadReader = Required<DatasetReader>;

/**
 * Reads a workspace over a connection of this thread. Each event that is read is parsed by schema at least once: a log never changes,
 * so a pass over events that another one has read takes the same rows as they are.
 */
export function threadReader(reads: Reads): ThreadReader {
  const reader = readerIn({ read: reads }, async () => undefined);
  /** Events of each run, from the first one on, that were parsed with all their bodies. */
  const checked = new Map<string, number>();
  const isChecked = (run: string, to: number) => to <= (checked.get(run) ?? 0);
  return {
    runs: () => reader.runs(),
    run: (run) => reader.run(run),
    annotationPage: (...args) => reader.annotationPage(...args),
    ruleSettings: (task) => reader.ruleSettings(task),
    events: async (run, from, limit) => {
      const to = from + limit - 1;
      if (isChecked(run, to)) return readEvents(reads, findRun(reads, run), from, to, limit, false);
      const events = await reader.events(run, from, limit);
      const last = events.at(-1);
      if (last !== undefined && from <= (checked.get(run) ?? 0) + 1) checked.set(run, last.seq);
      return events;
    },
    someEvents: async (run, from, limit, kinds) =>
      readSomeEvents(reads, run, { from, limit, kinds, check: !isChecked(run, from + limit - 1) }),
    ruleMarks: async (run, seq, version) => readRuleMarks(reads, run, { seq, version }),
  };
}

/** Each page passes the gate, so that a pause or an end is heard within one. */
export function passing(reader: ThreadReader, gate: ExportGate): ThreadReader {
  return {
    ...reader,
    events: async (...args) => {
      await gate.pass();
      return reader.events(...args);
    },
    someEvents: async (...args) => {
      await gate.pass();
      return reader.someEvents(...args);
    },
  };
}
