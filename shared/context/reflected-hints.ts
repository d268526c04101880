import { hintName, hintNamesIn } from '../log/event-parts';
import type { EventBody } from '../log/events';
import type { ContextEntry, SummaryPair } from './context-entry';

export type KnownHint = SummaryPair['hints'][number];

/**
 * Hints of which the summary that opens a segment holds a reflection: those of the summarised steps and of every summary before
 * (semantics, Context: a hint survives every summary). A branch of the time before names none; of it only the summary's own words
 * are known. `summarised`: the steps that the segment no longer holds.
 */
export function reflectedIn(
  { pair, summarised }: { pair: SummaryPair | null; summarised: readonly ContextEntry[] },
  { reflected, head }: Pick<EventBody<'segment.started'>, 'reflected' | 'head'>,
): KnownHint[] {
  if (reflected !== undefined) return reflected;
  if (pair === null && summarised.length === 0) {
    return hintNamesIn(head.at(-2)?.content ?? '').map((name) => ({ id: name, text: '' }));
  }
  return eachOnce([...hintsOfPair(pair), ...summarised.flatMap(({ hints }) => hints)]);
}

/** Hints that stand in a summary pair, in the summary or in its observation. */
export function hintsOfPair(pair: SummaryPair | null): KnownHint[] {
  return pair === null ? [] : eachOnce([...pair.reflected, ...pair.hints]);
}

/** By name. Where one is known by its name only, and once by its id, the id stays. */
function eachOnce(hints: readonly KnownHint[]): KnownHint[] {
  const known = new Map<string, KnownHint>();
  for (const hint of hints) {
    const name = hintName(hint.id);
    const before = known.get(name);
    if (before === undefined || before.id === name) known.set(name, hint);
  }
  return [...known.values()];
}
