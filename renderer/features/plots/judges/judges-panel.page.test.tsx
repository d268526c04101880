import type { CommandInput } from '@shared/contract/ipc';
import { shareOf } from '@shared/labels/agreement';
import type { JudgeQuality } from '@shared/labels/judge-quality';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { show, shown } from '../../../page-fixtures';
import { useTimeline } from '../../../state/run/timeline';
import { useView } from '../../../state/view';
import { PlotsDialog } from '../PlotsDialog';
import { openJudgeQuality, usePlots } from '../plots-state';

const RUN = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const task = {
  task: 'doc-filter',
  perStep: 3,
  plus: shareOf(9, 12),
  minus: shareOf(9, 12),
  mu: 1.5,
  separation: 0.8306,
  bound: 0.1711,
};

/** Two judges with verdicts, one of them and another with ratings. */
function quality(more: Partial<JudgeQuality> = {}): JudgeQuality {
  const judge = {
    rubrics: ['steps@1'],
    votes: 60,
    unparsable: 1,
    contradicting: 0,
    accuracy: shareOf(50, 60),
    kappa: { value: 0.42, n: 60, low: -0.1, high: 0.7 },
    maskPrecision: shareOf(9, 10),
    maskRecall: shareOf(9, 18),
    byReason: [
      { reason: 'blind-edit', masked: 8, right: shareOf(7, 8) },
      { reason: 'our-own', masked: 2, right: null },
    ],
    byRule: [
      { rule: 'blind-edit', effect: 'mask' as const, steps: 6, same: shareOf(5, 6), right: shareOf(4, 6) },
    ],
    bySureness: [
      { from: 0.5, to: 0.6, sure: 0.55, right: shareOf(6, 10) ?? fail() },
      { from: 0.9, to: 1, sure: 0.95, right: shareOf(44, 50) ?? fail() },
    ],
    calibrationError: 0.07,
  };
  return {
    steps: 60,
    known: 60,
    judges: [
      { judge: 'careful', ...judge },
      { judge: 'quick', ...judge, accuracy: null, bySureness: [], calibrationError: null },
    ],
    rules: [{ rule: 'blind-edit', effect: 'mask', steps: 6, right: shareOf(5, 6) }],
    amongJudges: shareOf(3, 6),
    amongPeople: null,
    people: [],
    pairs: [{ one: 'careful', other: 'quick', raw: shareOf(30, 60), kappa: null }],
    tasks: [task],
    truth: null,
    drift: [
      {
        judge: 'careful',
        before: 'steps@0',
        after: 'steps@1',
        steps: 40,
        toMask: 5,
        toKeep: 2,
        precision: { before: shareOf(3, 6), after: shareOf(9, 10) },
        recall: { before: null, after: null },
      },
    ],
    rewards: {
      raters: [
        {
          judge: 'rater',
          rubrics: ['reward-steps@1'],
          steps: 10,
          plus: 20,
          minus: 10,
          unparsable: 0,
          consistency: shareOf(6, 10),
          process: null,
          tasks: [{ ...task, minus: null, mu: null, separation: null, bound: null }],
        },
      ],
      pairs: [],
    },
    labellers: ['Ada', 'planted'],
    withheld: 0,
    ...more,
  };
}

function fail(): never {
  throw new Error('There is no such share.');
}

const figures = () => screen.getByRole('img').textContent ?? '';
const view = (name: string) => fireEvent.click(screen.getByRole('tab', { name }));

beforeEach(() => {
  useTimeline.setState({ run: RUN, steps: 60 });
  usePlots.setState({ chosen: 'judges', allRuns: false, judge: null });
});

test('a judge is shown with every figure, its number and its interval, as a drawing, a table and a file', async () => {
  const asked: CommandInput<'judge.quality'>[] = [];
  const bridge = show(<PlotsDialog onClose={() => undefined} />, {
    'judge.quality': (input: CommandInput<'judge.quality'>) => {
      asked.push(input);
      return quality();
    },
    'plots.save': () => ({ path: '/tmp/agreement.csv' }),
  });
  expect(await screen.findByRole('heading', { name: 'careful: agreement' })).toBeTruthy();
  expect(asked).toEqual([{ runs: [RUN], truth: null }]);
  expect(figures()).toContain('0.83 (0.72 to 0.91), n = 60');
  // Below zero the axis begins at −1.
  expect(figures()).toContain('−1.0');
  expect(figures()).toContain('Blind edit');
  expect(figures()).toContain('2 masked');
  expect(figures()).toContain('agrees with it on 83 %');
  expect(screen.getByText(/1 vote could not be read/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Table' }));
  const rows = within(screen.getByRole('table')).getAllByRole('row');
  expect(rows[1]?.textContent).toContain('Accuracy');
  fireEvent.click(screen.getByRole('button', { name: 'CSV' }));
  await shown();
  expect(JSON.stringify(bridge.calls)).toContain('Overall,Accuracy,0.8333,0.7197,0.9069,60');
});

test('calibration, raters, outcomes and rubrics each say what they show, and why a figure is unknown', async () => {
  show(<PlotsDialog onClose={() => undefined} />, { 'judge.quality': () => quality() });
  await screen.findByRole('img');
  view('Calibration');
  expect(screen.getByText(/differs from how often it is right by 7 percentage points/)).toBeTruthy();
  expect(figures()).toContain('95 % sure: 88 % of 50 votes right');
  view('Between raters');
  expect(figures()).toContain('All judges, Fleiss’ κ');
  expect(figures()).toContain('careful and quick, same');
  expect(figures()).toContain('rater, own votes, Fleiss’ κ');
  view('Votes and outcomes');
  expect(figures()).toContain('0.83 · μ = 1.50, m = 3, at least 0.171');
  expect(figures()).toContain('needs scored runs of both outcomes');
  view('Rubrics');
  expect(figures()).toContain('5 keep → mask, 2 mask → keep, of 40 steps');
  fireEvent.change(screen.getByRole('combobox', { name: 'Judge' }), { target: { value: 'quick' } });
  view('Agreement');
  expect(screen.getByText(/None of the steps it voted on has a known answer yet/)).toBeTruthy();
  view('Calibration');
  expect(screen.getByText(/None of its votes has both/)).toBeTruthy();
  fireEvent.change(screen.getByRole('combobox', { name: 'Judge' }), { target: { value: 'rater' } });
  expect(screen.getByText('rater has rated steps, but has no verdicts on masks.')).toBeTruthy();
});

test('whose word counts as right, and over which runs, is a choice that is asked anew', async () => {
  const asked: CommandInput<'judge.quality'>[] = [];
  show(<PlotsDialog onClose={() => undefined} />, {
    'judge.quality': (input: CommandInput<'judge.quality'>) => {
      asked.push(input);
      return quality({ truth: input.truth ?? null });
    },
  });
  await screen.findByRole('img');
  const truth = screen.getByRole('combobox', { name: 'Compared with' });
  expect([...(truth as HTMLSelectElement).options].map(({ text }) => text)).toEqual([
    'What people agree on',
    'Ada (person)',
    'planted (person)',
    'careful (judge)',
    'quick (judge)',
    'rater (judge)',
  ]);
  fireEvent.change(truth, { target: { value: '= planted' } });
  await waitFor(() => expect(asked).toHaveLength(2));
  fireEvent.change(screen.getByRole('combobox', { name: 'Runs' }), { target: { value: 'all' } });
  await waitFor(() => expect(asked).toHaveLength(3));
  expect(asked).toEqual([
    { runs: [RUN], truth: null },
    { runs: [RUN], truth: 'planted' },
    { runs: [], truth: null },
  ]);
});

test('without votes it leads to a judge; a failure is told; steps to be decided blind are counted, not shown', async () => {
  const empty = quality({
    judges: [],
    rewards: { raters: [], pairs: [] },
    labellers: [],
    withheld: 6,
  });
  show(<PlotsDialog onClose={() => undefined} />, { 'judge.quality': () => empty });
  expect(await screen.findByText(/6 steps left out: you have not decided them yet/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Ask a judge' }));
  expect(useView.getState().dialog).toBe('judge');
  openJudgeQuality({ judge: 'quick', allRuns: true });
  expect(usePlots.getState()).toMatchObject({ chosen: 'judges', judge: 'quick', allRuns: true });
});

test('a failure is told in its place', async () => {
  show(<PlotsDialog onClose={() => undefined} />, {
    'judge.quality': () => {
      throw { code: 'not_found', message: 'There is no such run.' };
    },
  });
  await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('not_found'));
});
