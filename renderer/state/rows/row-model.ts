import { joined, type StepRange } from '@shared/contract/step-range';
import type { SegmentView } from '@shared/contract/views';
import type { Span } from '../run/head-cache';
import { indexFrom } from './sorted-steps';

/** Runs of decided steps shorter than this stay open: the row that stands for them would save nothing. */
const FOLD_AT = 4;

/** What the list of a run is made from. */
export interface RowInputs {
  /** Steps of the run. */
  steps: number;
  /** Only these, ascending; null = all. */
  found: readonly number[] | null;
  /** Group by these segments; null = one flat list. */
  segments: readonly SegmentView[] | null;
  /** Segments whose carried steps are open. */
  carriedOpen: ReadonlySet<number>;
  /** Steps that stay open when decided ones are folded, ascending, and up to which step that is known; null = fold nothing. */
  fold: { open: readonly number[]; until: number } | null;
  /** Folds that were opened by hand, as they were then: what is left of one when a step in it is cleared stays open. */
  unfolded: readonly Span[];
}

/** One row of the list. A carried step is the same step as the one in its own segment, shown a second time. */
export type Row =
  | { kind: 'step'; step: number }
  | { kind: 'carried'; step: number; segment: number }
  | { kind: 'segment'; segment: SegmentView }
  | { kind: 'summary'; segment: SegmentView; step: number }
  | { kind: 'carriedFold'; segment: SegmentView; from: number; to: number; open: boolean }
  | { kind: 'own'; segment: SegmentView; from: number; to: number }
  | { kind: 'fold'; from: number; to: number; open: boolean };

/** Rows that lie together: one head, or a stretch of steps. Of a stretch nothing is kept per step. */
interface Block {
  /** Index of its first row. */
  row: number;
  count: number;
  /** The row of a head; the first row of a stretch. */
  head: Row;
  /** Where a stretch of `found` begins; -1 for steps that follow each other. */
  at: number;
}

/**
 * The rows of a list of any length, from segments and ranges: memory goes with segments and folds, not with steps. Rows and
 * steps are found from each other by binary search.
 */
export class RowModel {
  private readonly blocks: Block[] = [];
  /** Blocks in which steps stand in their own segment, so that a step is found in one place. */
  private readonly own: Block[] = [];
  private rows = 0;

  constructor(private readonly inputs: RowInputs) {
    const { segments, steps, found } = inputs;
    if (segments === null) this.addOwn(1, steps);
    else {
      for (const segment of segments) {
        const last = Math.min(segment.lastStep, steps);
        if (segment.firstStep > steps && segment.segment > 1) continue;
        this.addSegment(segment, last, found !== null);
      }
    }
  }

  get count(): number {
    return this.rows;
  }

  at(index: number): Row | undefined {
    if (index < 0 || index >= this.rows) return undefined;
    const block = this.blocks[blockAt(this.blocks, index, (each) => each.row)];
    if (block === undefined) return undefined;
    const { head } = block;
    if (head.kind !== 'step' && head.kind !== 'carried') return head;
    return { ...head, step: this.stepIn(block, index - block.row) };
  }

  /** The row in which a step stands in its own segment; -1 when it is folded away or filtered out. */
  indexOf(step: number): number {
    const block = this.own[blockAt(this.own, step, stepOf)];
    if (block === undefined || step < stepOf(block)) return -1;
    if (block.head.kind === 'fold') return -1;
    if (block.at < 0) {
      const offset = step - stepOf(block);
      return offset < block.count ? block.row + offset : -1;
    }
    const place = indexFrom(this.inputs.found ?? [], step);
    const there = this.inputs.found?.[place] === step && place < block.at + block.count;
    return there ? block.row + place - block.at : -1;
  }

  /** Whether a step is on the list: with a row of its own, or among the carried steps of a later segment. */
  shows(step: number): boolean {
    if (this.indexOf(step) >= 0) return true;
    return this.blocks.some(
      ({ head, count }) => head.kind === 'carried' && head.step <= step && step < head.step + count,
    );
  }

  /** The pieces of `from..to` that have rows of their own; what a filter or a fold hides is left out. */
  shownIn(from: number, to: number): StepRange[] {
    const pieces: StepRange[] = [];
    for (let at = Math.max(0, blockAt(this.own, from, stepOf)); at < this.own.length; at += 1) {
      const block = this.own[at];
      if (block === undefined || stepOf(block) > to) break;
      if (block.head.kind === 'fold') continue;
      if (block.at < 0) {
        const last = Math.min(to, stepOf(block) + block.count - 1);
        if (last >= from) pieces.push({ from: Math.max(from, stepOf(block)), to: last });
        continue;
      }
      const found = this.inputs.found?.slice(block.at, block.at + block.count) ?? [];
      const wanted = found.slice(indexFrom(found, from), indexFrom(found, to + 1));
      for (const step of wanted) pieces.push({ from: step, to: step });
    }
    return joined(pieces);
  }

  /** Whether each step of `from..to` has a row of its own. */
  showsAll({ from, to }: StepRange): boolean {
    const [piece] = this.shownIn(from, to);
    return piece?.from === from && piece.to === to;
  }

  /** The first step that has a row of its own; null when there is none. */
  get first(): number | null {
    return this.neighbour(0, 1);
  }

  /** The last one. */
  get last(): number | null {
    return this.neighbour(this.inputs.steps + 1, -1);
  }

  /** The step with a row of its own that lies nearest to one without; of two the later. Null when there is none. */
  nearestShown(step: number): number | null {
    const before = this.neighbour(step, -1);
    const after = this.neighbour(step, 1);
    if (before === null || after === null) return before ?? after;
    return step - before < after - step ? before : after;
  }

  /** The row that stands for a step: its own, else the fold it is in, else the nearest before it. 0 in an empty list. */
  nearest(step: number): number {
    const own = this.indexOf(step);
    if (own >= 0) return own;
    const block = this.own[blockAt(this.own, step, stepOf)];
    if (block === undefined || block.head.kind === 'fold') return block?.row ?? 0;
    const place = block.at < 0 ? block.count - 1 : indexFrom(this.inputs.found ?? [], step) - 1 - block.at;
    return block.row + Math.min(Math.max(0, place), block.count - 1);
  }

  /** Where a row of another model of the same run stands in this one, or what stands for it. */
  find(row: Row): number {
    if (row.kind === 'step') return this.nearest(row.step);
    if (row.kind === 'fold') return this.nearest(row.from);
    const segment = typeof row.segment === 'number' ? row.segment : row.segment.segment;
    for (const { head, count, row: at } of this.blocks) {
      if (head.kind !== row.kind || !('segment' in head)) continue;
      if ((typeof head.segment === 'number' ? head.segment : head.segment.segment) !== segment) continue;
      return row.kind === 'carried' && head.kind === 'carried'
        ? at + Math.min(Math.max(0, row.step - head.step), count - 1)
        : at;
    }
    return this.nearest(row.kind === 'carried' ? row.step : row.segment.firstStep);
  }

  /** True when every row of an older model is the same row here, so that only the end is new. */
  continues(before: RowModel): boolean {
    if (before.blocks.length > this.blocks.length) return false;
    const end = before.inputs.found?.length ?? 0;
    if ((before.inputs.found === null) !== (this.inputs.found === null)) return false;
    if (end > 0 && before.inputs.found?.[end - 1] !== this.inputs.found?.[end - 1]) return false;
    return before.blocks.every((old, index) => {
      const now = this.blocks[index];
      return (
        now !== undefined &&
        old.row === now.row &&
        old.at === now.at &&
        // The last one may have grown; a shorter one means that rows were folded away behind it.
        now.count >= old.count &&
        sameHead(old.head, now.head)
      );
    });
  }

  /** The step that a row stands for or begins; the next one's for a head. The run's last when nothing follows. */
  stepNear(index: number): number {
    const row = this.at(index);
    if (row === undefined) return this.inputs.steps;
    if (row.kind === 'step') return row.step;
    if (row.kind === 'fold' || row.kind === 'own') return row.from;
    const { segment } = row;
    const first = typeof segment === 'number' ? this.segmentStart(segment) : segment.firstStep;
    return Math.min(Math.max(1, first), this.inputs.steps);
  }

  /** The next or previous step that has a row of its own; null at the end. */
  neighbour(step: number, direction: 1 | -1): number | null {
    let at = blockAt(this.own, step, stepOf);
    for (; at >= 0 && at < this.own.length; at += direction) {
      const block = this.own[at];
      if (block === undefined || block.head.kind === 'fold') continue;
      const first = stepOf(block);
      const last = this.stepIn(block, block.count - 1);
      if (direction === 1 ? last <= step : first >= step) continue;
      if (block.at < 0) return direction === 1 ? Math.max(first, step + 1) : Math.min(last, step - 1);
      const found = this.inputs.found ?? [];
      const place = indexFrom(found, direction === 1 ? step + 1 : step) - (direction === 1 ? 0 : 1);
      return found[place] ?? null;
    }
    return at < 0 && direction === 1 ? this.firstShown(step) : null;
  }

  private firstShown(after: number): number | null {
    const block = this.own.find(({ head }) => head.kind !== 'fold');
    return block === undefined || stepOf(block) <= after ? null : stepOf(block);
  }

  private segmentStart(segment: number): number {
    return this.inputs.segments?.find((each) => each.segment === segment)?.firstStep ?? 1;
  }

  private stepIn(block: Block, offset: number): number {
    if (block.at >= 0) return this.inputs.found?.[block.at + offset] ?? 0;
    return stepOf(block) + offset;
  }

  private addSegment(segment: SegmentView, last: number, filtered: boolean): void {
    const from = segment.firstStep;
    if (filtered) {
      // Under a filter only the steps that match are there, each once, and a head over those of every segment.
      const found = this.inputs.found ?? [];
      if (indexFrom(found, from) === indexFrom(found, last + 1)) return;
      this.add({ kind: 'own', segment, from, to: last });
      this.addOwn(from, last);
      return;
    }
    this.add({ kind: 'segment', segment });
    if (segment.summaryStep !== null) this.add({ kind: 'summary', segment, step: segment.summaryStep });
    if (segment.carried !== null) {
      const open = this.inputs.carriedOpen.has(segment.segment);
      const { carried } = segment;
      this.add({ kind: 'carriedFold', segment, ...carried, open });
      if (open) {
        const head: Row = { kind: 'carried', step: carried.from, segment: segment.segment };
        this.add(head, carried.to - carried.from + 1);
      }
    }
    if (last < from) return;
    this.add({ kind: 'own', segment, from, to: last });
    this.addOwn(from, last);
  }

  /** Own steps `from..to`, folded or filtered. */
  private addOwn(from: number, to: number): void {
    const { found, fold } = this.inputs;
    if (to < from) return;
    if (found !== null) {
      const at = indexFrom(found, from);
      const count = indexFrom(found, to + 1) - at;
      if (count > 0) this.own.push(this.add({ kind: 'step', step: found[at] ?? from }, count, at));
      return;
    }
    const known = Math.min(to, fold?.until ?? 0);
    const opened = fold?.open ?? [];
    let next = from;
    for (let at = indexFrom(opened, from); next <= known; at += 1) {
      const open = Math.min(opened[at] ?? known + 1, known + 1);
      if (open - next >= FOLD_AT) {
        const shown = this.inputs.unfolded.some(({ from: low, to: high }) => low <= next && open - 1 <= high);
        const block = this.add({ kind: 'fold', from: next, to: open - 1, open: shown });
        if (shown) this.addSteps(next, open - 1);
        else this.own.push(block);
      } else this.addSteps(next, open - 1);
      if (open > known) break;
      this.addSteps(open, open);
      next = open + 1;
    }
    this.addSteps(Math.max(from, known + 1), to);
  }

  /** Steps that follow the block before join it. */
  private addSteps(from: number, to: number): void {
    if (to < from) return;
    const last = this.blocks.at(-1);
    if (last?.head.kind === 'step' && last.at < 0 && last.head.step + last.count === from) {
      last.count += to - from + 1;
      this.rows += to - from + 1;
    } else this.own.push(this.add({ kind: 'step', step: from }, to - from + 1));
  }

  private add(head: Row, count = 1, at = -1): Block {
    const block = { row: this.rows, count, head, at };
    this.blocks.push(block);
    this.rows += count;
    return block;
  }
}

function sameHead(one: Row, other: Row): boolean {
  if (one.kind !== other.kind) return false;
  const of = (row: Row): number =>
    row.kind === 'step' || row.kind === 'carried'
      ? row.step
      : row.kind === 'fold'
        ? row.from
        : row.segment.segment;
  return of(one) === of(other);
}

/** First step of a block of steps. */
function stepOf({ head }: Block): number {
  return head.kind === 'step' || head.kind === 'carried' ? head.step : head.kind === 'fold' ? head.from : 0;
}

/** The last block that begins at or before a value; -1 when all begin after it. */
function blockAt(blocks: readonly Block[], value: number, of: (block: Block) => number): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const block = blocks[middle];
    if (block !== undefined && of(block) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

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
