import { diffArrays } from 'diff';

/** Edits looked for between two texts; past that, all but their common beginning and end counts as replaced. Bounds time and memory. */
const MAX_EDITS = 400;

/** A stretch of lines that are in both texts, only in the old or only in the new one. */
export interface LineChange {
  kind: 'same' | 'removed' | 'added';
  lines: string[];
}

/**
 * Differences between two texts by line, in reading order; within one place removed lines stand before added ones: the shortest script
 * (Myers, 1986) up to `MAX_EDITS` edits. Lines carry no line end.
 */
export function lineChanges(before: string, after: string): LineChange[] {
  return changesOf(before.split('\n'), after.split('\n'));
}

/** Lines added and removed between two texts; null counts as empty. Past `MAX_EDITS` a line that only moved counts as unchanged. */
export function countChangedLines(
  before: string | null,
  after: string | null,
): { added: number; removed: number } {
  const count = { same: 0, added: 0, removed: 0 };
  const changes = changesOf(linesOf(before), linesOf(after));
  for (const { kind, lines } of changes) count[kind] += lines.length;
  const moved = count.added + count.removed > MAX_EDITS ? inBoth(changes) : 0;
  return { added: count.added - moved, removed: count.removed - moved };
}

/** Lines that stand among the removed and among the added ones. */
function inBoth(changes: readonly LineChange[]): number {
  const left = new Map<string, number>();
  const each = (wanted: LineChange['kind']) =>
    changes.flatMap(({ kind, lines }) => (kind === wanted ? lines : []));
  for (const line of each('removed')) left.set(line, (left.get(line) ?? 0) + 1);
  let both = 0;
  for (const line of each('added')) {
    const count = left.get(line) ?? 0;
    if (count === 0) continue;
    left.set(line, count - 1);
    both += 1;
  }
  return both;
}

function changesOf(old: readonly string[], next: readonly string[]): LineChange[] {
  const start = commonLength(old, next, (lines, index) => lines[index]);
  const [oldRest, nextRest] = [old.slice(start), next.slice(start)];
  const end = commonLength(oldRest, nextRest, (lines, index) => lines.at(-1 - index));
  const [oldMiddle, nextMiddle] = [
    oldRest.slice(0, oldRest.length - end),
    nextRest.slice(0, nextRest.length - end),
  ];
  const all: LineChange[] = [
    { kind: 'same', lines: old.slice(0, start) },
    ...middleOf(oldMiddle, nextMiddle),
    { kind: 'same', lines: oldRest.slice(oldRest.length - end) },
  ];
  return joined(all.filter(({ lines }) => lines.length > 0));
}

function commonLength(
  one: readonly string[],
  other: readonly string[],
  at: (lines: readonly string[], index: number) => string | undefined,
): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && at(one, length) === at(other, length)) length += 1;
  return length;
}

function middleOf(old: string[], next: string[]): LineChange[] {
  const script =
    old.length > 0 && next.length > 0 ? diffArrays(old, next, { maxEditLength: MAX_EDITS }) : undefined;
  if (script === undefined) {
    return [
      { kind: 'removed', lines: old },
      { kind: 'added', lines: next },
    ];
  }
  return script.map(({ added, removed, value }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    lines: value,
  }));
}

/** Neighbours of one kind are one stretch. */
function joined(changes: readonly LineChange[]): LineChange[] {
  const found: LineChange[] = [];
  for (const { kind, lines } of changes) {
    const last = found.at(-1);
    if (last?.kind === kind) last.lines = [...last.lines, ...lines];
    else found.push({ kind, lines });
  }
  return found;
}

function linesOf(text: string | null): string[] {
  if (text === null || text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}
