import type { SegmentView } from '@shared/contract/views';
import { describe, expect, it } from 'vitest';
import type { Row, RowInputs } from './row-model';
import { RowModel } from './row-model';

const counts = { train: 0, mask: 0, undecided: 0, disagreement: 0 };
const segments: SegmentView[] = [
  { segment: 1, firstStep: 1, lastStep: 10, summaryStep: null, carried: null, counts },
  { segment: 2, firstStep: 11, lastStep: 20, summaryStep: 10, carried: { from: 6, to: 9 }, counts },
  { segment: 3, firstStep: 21, lastStep: 25, summaryStep: 20, carried: { from: 16, to: 19 }, counts },
];

function model(change: Partial<RowInputs>): RowModel {
  return new RowModel({
    steps: 25,
    found: null,
    segments: null,
    fold: null,
    carriedOpen: new Set<number>(),
    unfolded: [],
    ...change,
  });
}

function rows(of: RowModel): Row[] {
  return Array.from({ length: of.count }, (_, index) => of.at(index)).filter((row) => row !== undefined);
}

function word(row: Row): string {
  switch (row.kind) {
    case 'step':
      return String(row.step);
    case 'carried':
      return `c${row.step}`;
    case 'segment':
      return `S${row.segment.segment}`;
    case 'summary':
      return `sum${row.step}`;
    case 'carriedFold':
      return `C${row.from}-${row.to}`;
    case 'own':
      return `O${row.from}-${row.to}`;
    case 'fold':
      return `F${row.from}-${row.to}`;
  }
}

function short(of: RowModel): string[] {
  return rows(of).map(word);
}

function stepsOf(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** Every step with a row of its own is found there, and walking goes through exactly those. */
function consistent(of: RowModel, steps: number): void {
  const shown = rows(of).flatMap((row, index) => (row.kind === 'step' ? [{ step: row.step, index }] : []));
  for (const { step, index } of shown) expect(of.indexOf(step), `row of ${step}`).toBe(index);
  const known = new Set(shown.map(({ step }) => step));
  for (let step = 1; step <= steps; step += 1) {
    if (!known.has(step)) expect(of.indexOf(step), `${step} has no row`).toBe(-1);
    const after = shown.find((each) => each.step > step)?.step ?? null;
    const before = shown.findLast((each) => each.step < step)?.step ?? null;
    expect(of.neighbour(step, 1), `after ${step}`).toBe(after);
    expect(of.neighbour(step, -1), `before ${step}`).toBe(before);
    expect(of.at(of.nearest(step)), `near ${step}`).toBeDefined();
    const distances = shown.map((each) => Math.abs(each.step - step));
    const near = of.nearestShown(step);
    if (!known.has(step) && near !== null) expect(Math.abs(near - step)).toBe(Math.min(...distances));
  }
  expect([of.first, of.last]).toEqual([shown[0]?.step ?? null, shown.at(-1)?.step ?? null]);
  for (const [from, to] of [
    [1, steps],
    [4, 19],
    [9, 9],
  ] as const) {
    const pieces = of.shownIn(from, to).flatMap((part) => stepsOf(part.from, part.to));
    expect(pieces).toEqual(stepsOf(from, to).filter((step) => known.has(step)));
  }
}

describe('RowModel', () => {
  it('is the steps themselves in a flat list', () => {
    const flat = model({});
    expect(flat.count).toBe(25);
    expect(flat.at(3)).toEqual({ kind: 'step', step: 4 });
    expect(flat.at(25)).toBeUndefined();
    consistent(flat, 25);
  });

  it('gives every segment its head, its summary, its carried steps in one row and its own steps', () => {
    const grouped = model({ segments });
    expect(short(grouped).slice(0, 13)).toEqual([
      ...['S1', 'O1-10', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10'],
      'S2',
    ]);
    expect(short(grouped).slice(13, 17)).toEqual(['sum10', 'C6-9', 'O11-20', '11']);
    consistent(grouped, 25);
  });

  it('shows carried steps a second time; the step keeps one place of its own', () => {
    const grouped = model({ segments, carriedOpen: new Set([2]) });
    expect(short(grouped).slice(14, 20)).toEqual(['C6-9', 'c6', 'c7', 'c8', 'c9', 'O11-20']);
    expect(grouped.at(grouped.indexOf(7))).toEqual({ kind: 'step', step: 7 });
    consistent(grouped, 25);
  });

  it('folds runs of decided steps, not short ones', () => {
    const fold = { open: [5, 7, 18], until: 25 };
    const folded = model({ fold });
    expect(short(folded)).toEqual(['F1-4', '5', '6', '7', 'F8-17', '18', 'F19-25']);
    consistent(folded, 25);
    const opened = model({ fold, unfolded: [{ from: 8, to: 17 }] });
    expect(short(opened).slice(4, 8)).toEqual(['F8-17', '8', '9', '10']);
    expect(opened.at(4)).toMatchObject({ open: true });
    consistent(opened, 25);
    const cleared = model({ fold: { open: [5, 7, 10, 18], until: 25 }, unfolded: [{ from: 8, to: 17 }] });
    expect(short(cleared).slice(4, 9)).toEqual(['8', '9', '10', 'F11-17', '11']);
  });

  it('does not fold what it does not know yet', () => {
    expect(short(model({ fold: { open: [], until: 20 } }))).toEqual(['F1-20', '21', '22', '23', '24', '25']);
    expect(model({ fold: { open: [], until: 0 } }).count).toBe(25);
  });

  it('ends folds where a segment ends', () => {
    const grouped = model({ segments, fold: { open: [8, 12], until: 25 } });
    expect(short(grouped)).toEqual([
      ...['S1', 'O1-10', 'F1-7', '8', '9', '10'],
      ...['S2', 'sum10', 'C6-9', 'O11-20', '11', '12', 'F13-20'],
      ...['S3', 'sum20', 'C16-19', 'O21-25', 'F21-25'],
    ]);
    consistent(grouped, 25);
  });

  it('shows only what was found, grouped under segments that have some', () => {
    const found = [3, 9, 22];
    const flat = model({ found });
    expect(short(flat)).toEqual(['3', '9', '22']);
    consistent(flat, 25);
    const grouped = model({ found, segments });
    expect(short(grouped)).toEqual(['O1-10', '3', '9', 'O21-25', '22']);
    consistent(grouped, 25);
    expect(model({ found: [] }).count).toBe(0);
    expect(model({ found: [] }).neighbour(3, 1)).toBeNull();
  });

  it('leaves out a segment that has no step yet', () => {
    const next = { ...segments[2], segment: 4, firstStep: 26, lastStep: 25 } as SegmentView;
    expect(short(model({ segments: [...segments, next] }))).not.toContain('S4');
  });

  it('points from a fold to its steps and from hidden steps to their fold', () => {
    const folded = model({ segments, fold: { open: [8, 12], until: 25 } });
    expect(folded.at(folded.nearest(15))).toMatchObject({ kind: 'fold', from: 13 });
    expect(folded.stepNear(folded.nearest(15))).toBe(13);
    expect(folded.stepNear(6)).toBe(11); // the head of segment 2
  });

  it('knows when only its end is new', () => {
    expect(model({ steps: 30 }).continues(model({ steps: 25 }))).toBe(true);
    expect(model({ found: [3, 9, 22] }).continues(model({ found: [3, 9] }))).toBe(true);
    expect(model({ found: [3, 5, 9] }).continues(model({ found: [3, 9] }))).toBe(false);
    expect(model({}).continues(model({ found: [3] }))).toBe(false);
    expect(model({ fold: { open: [12], until: 25 } }).continues(model({}))).toBe(false);
    expect(model({}).continues(model({ fold: { open: [12], until: 25 } }))).toBe(false);
    expect(model({ fold: { open: [1, 2, 3], until: 25 } }).continues(model({}))).toBe(false);
    expect(model({ segments }).continues(model({}))).toBe(false);
    expect(model({ segments, carriedOpen: new Set([2]) }).continues(model({ segments }))).toBe(false);
    expect(model({ segments }).continues(model({ segments: segments.slice(0, 2) }))).toBe(true);
  });

  it('finds the row that was looked at again after another layout', () => {
    const grouped = model({ segments, carriedOpen: new Set([3]) });
    for (let index = 0; index < grouped.count; index += 1) {
      const row = grouped.at(index);
      if (row !== undefined) expect(grouped.find(row), word(row)).toBe(index);
    }
    const flat = model({});
    expect(flat.find({ kind: 'carried', step: 17, segment: 3 })).toBe(16);
    expect(flat.find(grouped.at(12) as Row)).toBe(10); // the head of segment 2: its first step
  });

  it('needs memory for segments and folds only, and finds rows of 174,500 steps', () => {
    const steps = 174_500;
    const many = Array.from({ length: 900 }, (_, index): SegmentView => {
      const firstStep = index * 194 + 1;
      const lastStep = Math.min(steps, firstStep + 193);
      const carried = index === 0 ? null : { from: firstStep - 90, to: firstStep - 2 };
      return {
        segment: index + 1,
        firstStep,
        lastStep,
        summaryStep: index === 0 ? null : firstStep - 1,
        carried,
        counts,
      };
    });
    const open = Array.from({ length: 9_000 }, (_, index) => index * 19 + 5);
    const large = model({ steps, segments: many, fold: { open, until: steps } });
    for (const step of open.slice(0, 2_000))
      expect(large.at(large.indexOf(step))).toEqual({ kind: 'step', step });
    expect(large.count).toBeLessThan(25_000);
    expect(model({ steps }).count).toBe(steps);
  });
});
