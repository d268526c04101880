/** A stretch of lines that are in both texts, only in the old or only in the new one. */
export interface LineChange {
  kind: 'same' | 'removed' | 'added';
  lines: string[];
}

/** Edits looked for in the middle of two texts; past that, the middle counts as replaced. Bounds time and memory. */
const MAX_EDITS = 400;

/**
 * Differences between two texts by line, in reading order; within one place removed lines stand before added ones.
 * The shortest script of the greedy algorithm by Myers (1986) up to `MAX_EDITS` edits. Lines carry no line end.
 */
export function lineChanges(before: string, after: string): LineChange[] {
  const old = before.split('\n');
  const next = after.split('\n');
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start += 1;
  let end = 0;
  const most = Math.min(old.length, next.length) - start;
  while (end < most && old[old.length - 1 - end] === next[next.length - 1 - end]) end += 1;
  const changes: LineChange[] = [];
  add(changes, 'same', old.slice(0, start));
  for (const change of middle(old.slice(start, old.length - end), next.slice(start, next.length - end))) {
    add(changes, change.kind, change.lines);
  }
  add(changes, 'same', old.slice(old.length - end));
  return changes;
}

function add(changes: LineChange[], kind: LineChange['kind'], lines: string[]): void {
  if (lines.length === 0) return;
  const last = changes.at(-1);
  if (last?.kind === kind) last.lines.push(...lines);
  else changes.push({ kind, lines: [...lines] });
}

function middle(old: readonly string[], next: readonly string[]): LineChange[] {
  const script = old.length > 0 && next.length > 0 ? shortestScript(old, next) : null;
  if (script !== null) return script;
  return [
    { kind: 'removed', lines: [...old] },
    { kind: 'added', lines: [...next] },
  ];
}

/** Null when more than `MAX_EDITS` edits are needed. */
function shortestScript(old: readonly string[], next: readonly string[]): LineChange[] | null {
  const limit = Math.min(MAX_EDITS, old.length + next.length);
  const offset = limit + 1;
  const reach = new Int32Array(2 * offset + 1);
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= limit; edits += 1) {
    trace.push(reach.slice(offset - edits - 1, offset + edits + 2));
    for (let k = -edits; k <= edits; k += 2) {
      const left = reach[offset + k - 1] ?? 0;
      const right = reach[offset + k + 1] ?? 0;
      let x = k === -edits || (k !== edits && left < right) ? right : left + 1;
      let y = x - k;
      while (x < old.length && y < next.length && old[x] === next[y]) {
        x += 1;
        y += 1;
      }
      reach[offset + k] = x;
      if (x >= old.length && y >= next.length) return walkBack(old, next, trace);
    }
  }
  return null;
}

/** `trace[d]` holds how far each diagonal reached before edit d; its middle is diagonal 0. */
function walkBack(
  old: readonly string[],
  next: readonly string[],
  trace: readonly Int32Array[],
): LineChange[] {
  const steps: { kind: LineChange['kind']; line: string }[] = [];
  let x = old.length;
  let y = next.length;
  for (let edits = trace.length - 1; edits > 0; edits -= 1) {
    const reach = trace[edits];
    const at = (k: number) => reach?.[k + edits + 1] ?? 0;
    const k = x - y;
    const down = k === -edits || (k !== edits && at(k - 1) < at(k + 1));
    const from = down ? k + 1 : k - 1;
    const fromX = at(from);
    const fromY = fromX - from;
    while (x > fromX && y > fromY && x > 0 && y > 0 && old[x - 1] === next[y - 1]) {
      x -= 1;
      y -= 1;
      steps.push({ kind: 'same', line: old[x] ?? '' });
    }
    if (down) {
      y -= 1;
      steps.push({ kind: 'added', line: next[y] ?? '' });
    } else {
      x -= 1;
      steps.push({ kind: 'removed', line: old[x] ?? '' });
    }
  }
  while (x > 0 && y > 0) {
    x -= 1;
    y -= 1;
    steps.push({ kind: 'same', line: old[x] ?? '' });
  }
  return gather(steps.reverse());
}

/** Joins single lines to stretches, removed before added within one place. */
function gather(steps: readonly { kind: LineChange['kind']; line: string }[]): LineChange[] {
  const changes: LineChange[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = () => {
    add(changes, 'removed', removed);
    add(changes, 'added', added);
    removed = [];
    added = [];
  };
  for (const { kind, line } of steps) {
    if (kind === 'removed') removed.push(line);
    else if (kind === 'added') added.push(line);
    else {
      flush();
      add(changes, 'same', [line]);
    }
  }
  flush();
  return changes;
}
