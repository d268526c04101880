import type { RowModel } from '../../state/rows/row-model';
import type { Span } from '../../state/run/head-cache';

/** The steps that some rows show, as stretches: what has to be read for them. */
export function wantedSpans(model: RowModel, first: number, last: number): Span[] {
  const spans: Span[] = [];
  for (let index = first; index <= last; index++) {
    const row = model.at(index);
    if (row === undefined) continue;
    const step = row.kind === 'step' || row.kind === 'carried' || row.kind === 'summary' ? row.step : null;
    if (step === null) continue;
    const before = spans.at(-1);
    if (before !== undefined && before.to === step - 1) before.to = step;
    else if (before?.to !== step) spans.push({ from: step, to: step });
  }
  return spans;
}
