import type { SearchField } from '@shared/contract/search/views';
import type { EventKind, RunEvent } from '@shared/log/events';
import { type ReadContext, type RunRecord, readEvents, readKinds, stepSpan } from '../queries/read-context';
import { fieldStages, type StepTexts, searchTexts } from './search-texts';

/** Changed files of a step beyond these are not searched: each may hold a megabyte. */
const MAX_FILES = 2000;

/** Reads what can be found of a step: whole for the index and for scans, field by field for snippets. */
export class StepTextReader {
  constructor(private readonly context: ReadContext) {}

  /** What the index holds of a step. `known`: events of the step that are read already; the rest is fetched only when they are not all. */
  textsOf(run: RunRecord, step: number, known: readonly RunEvent[] = []): StepTexts | undefined {
    const span = stepSpan(this.context, run, step);
    if (span === undefined) {
      return undefined;
    }
    const whole = known[0]?.seq === span.seq0 && (known.at(-1)?.seq ?? 0) >= span.seq1;
    const events = whole
      ? known
      : fieldStages.flatMap(({ kinds }) => this.stage(run, span.seq0, span.seq1, kinds));
    return searchTexts(this.withSummary(run, events), step);
  }

  /** As `textsOf`, but each field is read when it is asked for: a snippet seldom needs the files. Fields in their usual order. */
  lazyTextsOf(run: RunRecord, step: number): ((field: SearchField) => string) | undefined {
    const span = stepSpan(this.context, run, step);
    if (span === undefined) {
      return undefined;
    }
    const read = new Map<number, RunEvent[]>();
    return (field) => {
      const stage = fieldStages.findIndex(({ fields }) => fields.includes(field));
      const events = fieldStages.slice(0, stage + 1).flatMap(({ kinds }, index) => {
        const known = read.get(index);
        if (known !== undefined) return known;
        // What a summary no longer mentions is one event behind.
        const found = this.stage(run, span.seq0, span.seq1 + 1, kinds);
        read.set(index, found);
        return found;
      });
      return searchTexts(events, step)[field];
    };
  }

  private stage(run: RunRecord, fromSeq: number, toSeq: number, kinds: readonly EventKind[]): RunEvent[] {
    const limit = kinds.includes('file.changed') ? MAX_FILES : -1;
    return readKinds(this.context, run, fromSeq, toSeq, kinds, { limit, check: false });
  }

  /** What a summary no longer mentions follows its step. */
  private withSummary(run: RunRecord, events: readonly RunEvent[]): readonly RunEvent[] {
    const last = events.at(-1);
    if (last?.kind !== 'model.answered' || last.body.kind !== 'summary') {
      return events;
    }
    return [...events, ...readEvents(this.context, run, last.seq + 1, last.seq + 1, 1, false)];
  }
}
