import type { StepQuery } from '@shared/contract/step-query';
import { beforeEach, describe, expect, it } from 'vitest';
import { jump } from '../../features/timeline/jump';
import { en } from '../../text/en';
import { BridgeStand, settled } from '../bridge-fixtures';
import { newSteps } from '../run/follow';
import { moveCursor, openTimeline, timelineScrolled, useTimeline } from '../run/timeline';
import { continueFilter, presetOf, refreshFilter, setFilter, setPreset, useFilter } from './filter';
import { chipsOf } from './filter-words';
import { shownBeside } from './rows';

const run = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
/** Undecided and failed steps of the run behind the bridge. */
let undecided: number[];
let failed: number[];
let stand: BridgeStand;

beforeEach(() => {
  undecided = [2, 5, 9];
  failed = [5, 7];
  stand = new BridgeStand({
    'timeline.heads': () => [],
    'timeline.tiles': () => [],
    'timeline.find': () => ({ step: 7, total: 1 }),
    'timeline.matches': ({ query }: { query: StepQuery }) => ({
      steps: (query.error === true ? failed : query.marks === undefined ? undecided : []).filter(
        (step) => step >= (query.from ?? 1) && step <= (query.to ?? 1_000),
      ),
    }),
  });
  openTimeline(null, 0, 0);
  openTimeline(run, 1, 10);
  setFilter({});
});

function asked(): StepQuery[] {
  return stand.calls
    .filter(([command]) => command === 'timeline.matches')
    .map(([, input]) => (input as { query: StepQuery }).query);
}

function grow(steps: number): void {
  useTimeline.getState().heads.advance(steps, steps);
  continueFilter();
}

describe('filter', () => {
  it('shows all steps until the numbers of those that fit are there', async () => {
    setPreset('decide');
    expect(useFilter.getState()).toMatchObject({ steps: null, looking: true });
    await settled();
    expect(useFilter.getState()).toMatchObject({ steps: [2, 5, 9], looking: false });
    expect(asked()).toEqual([{ label: ['undecided'], from: 1, to: 10 }]);
    setPreset('all');
    expect(useFilter.getState()).toMatchObject({ steps: null, query: {} });
  });

  it('looks only at new steps when the run grows, and again at the one that was under way', async () => {
    setPreset('decide');
    await settled();
    undecided.push(10, 12);
    grow(12);
    await settled();
    expect(asked().at(-1)).toEqual({ label: ['undecided'], from: 10, to: 12 });
    expect(useFilter.getState().steps).toEqual([2, 5, 9, 10, 12]);
  });

  it('keeps a step that was decided since, and takes in one that has come to fit', async () => {
    setPreset('decide');
    await settled();
    undecided = [3, 9];
    refreshFilter(2, 5);
    await settled();
    expect(asked().at(-1)).toEqual({ label: ['undecided'], from: 2, to: 5 });
    expect(useFilter.getState().steps).toEqual([2, 3, 5, 9]);
    setPreset('decide');
    await settled();
    expect(useFilter.getState().steps).toEqual([3, 9]);
  });

  it('keeps the list itself when nothing is new, so that nothing is painted again', async () => {
    setPreset('decide');
    await settled();
    const { steps } = useFilter.getState();
    refreshFilter(5, 5);
    await settled();
    expect(useFilter.getState().steps).toBe(steps);
  });

  it('does not take a reader of a part to the end of the run', async () => {
    setPreset('decide');
    await settled();
    moveCursor(9);
    timelineScrolled(0);
    grow(14);
    await settled();
    const { cursor, follow, steps } = useTimeline.getState();
    expect(cursor).toBe(9);
    expect(follow.following).toBe(false);
    expect(newSteps(follow, steps)).toBe(4);
  });

  it('walks through what is shown', async () => {
    expect(shownBeside(3, 1)).toBe(4);
    setPreset('decide');
    await settled();
    expect(shownBeside(2, 1)).toBe(5);
    expect(shownBeside(7, -1)).toBe(5);
    expect(shownBeside(9, 1)).toBe(9);
  });

  it('jumps only to what is shown', async () => {
    moveCursor(1);
    await jump('error', 1);
    expect(useTimeline.getState().cursor).toBe(7);
    setPreset('decide');
    await settled();
    moveCursor(2);
    await jump('error', 1);
    expect(useTimeline.getState().cursor).toBe(5);
    await jump('error', 1);
    expect(useTimeline.getState().cursor).toBe(5);
    moveCursor(9);
    await jump('error', -1);
    expect(useTimeline.getState().cursor).toBe(5);
    await jump('open', -1);
    expect(useTimeline.getState().cursor).toBe(2);
  });

  it('goes back to all steps when it could not be looked for', async () => {
    stand.answers['timeline.matches'] = () => {
      throw { code: 'bad_input', message: 'no' };
    };
    setFilter({ text: 'loss' });
    await settled();
    expect(useFilter.getState()).toMatchObject({ query: {}, steps: null, looking: false });
    expect(useTimeline.getState().partial).toBe(false);
  });

  it('forgets an answer that a newer filter has overtaken', async () => {
    setFilter({ error: true });
    setPreset('decide');
    await settled();
    expect(useFilter.getState().steps).toEqual([2, 5, 9]);
  });

  it('drops conditions that say nothing', () => {
    setFilter({ tool: [], text: '', error: undefined });
    expect(useFilter.getState().query).toEqual({});
    expect(asked()).toEqual([]);
  });
});

describe('words of a filter', () => {
  it('name every condition and lead back without it', () => {
    const query: StepQuery = {
      label: ['mask'],
      tool: ['edit_file', ''],
      error: true,
      text: 'loss',
      source: ['none'],
      marks: ['flagged'],
      kind: ['think'],
      rule: ['blind-edit'],
      computer: ['gpu-03'],
      hint: true,
      file: 'core',
      from: 3,
      to: 90,
    };
    const chips = chipsOf(query, en);
    expect(chips.map(({ key }) => key).sort()).toEqual(Object.keys(query).sort());
    expect(chips.find(({ key }) => key === 'tool')?.label).toBe('Action: edit_file, no action');
    for (const { key, without } of chips) {
      expect(without).not.toHaveProperty(key);
      expect(Object.keys(without)).toHaveLength(Object.keys(query).length - 1);
    }
  });

  it('know the filters that have a button', () => {
    expect(presetOf({})).toBe('all');
    expect(presetOf({ label: ['undecided'] })).toBe('decide');
    expect(presetOf({ marks: ['disagreement'] })).toBe('differ');
    expect(presetOf({ label: ['undecided'], error: true })).toBeNull();
  });
});
