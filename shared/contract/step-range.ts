/** Steps of a run, inclusive, by per-run number. Apart from the schemas: the window starts without those. */
export interface StepRange {
  from: number;
  to: number;
}

/** What an annotation is about: a hull of steps of a run, and its pieces where it is not all of it. */
interface StepTarget extends StepRange {
  run: string;
  parts?: StepRange[] | undefined;
}

/** Most parts of one entry; a decision about more pieces is several entries. */
export const MAX_PARTS = 5_000;

/** The pieces a target speaks of, ascending and disjoint: its parts, or the whole of it. */
export function partsOf({ from, to, parts }: Omit<StepTarget, 'run'>): readonly StepRange[] {
  return parts ?? [{ from, to }];
}

/** The target for pieces in any order, also overlapping ones; null for none. Pieces that touch become one. */
export function targetOf(run: string, pieces: readonly StepRange[]): StepTarget | null {
  const parts = joined(pieces);
  const first = parts[0];
  const last = parts.at(-1);
  if (first === undefined || last === undefined) return null;
  const hull = { run, from: first.from, to: last.to };
  return parts.length === 1 ? hull : { ...hull, parts };
}

/** The same steps as few pieces, ascending and apart. */
export function joined(pieces: readonly StepRange[]): StepRange[] {
  const parts: StepRange[] = [];
  for (const { from, to } of [...pieces].sort((a, b) => a.from - b.from)) {
    const last = parts.at(-1);
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to);
    else parts.push({ from, to });
  }
  return parts;
}
