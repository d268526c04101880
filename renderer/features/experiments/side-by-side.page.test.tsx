import type { RunStats } from '@shared/runs/run-stats';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { show } from '../../page-fixtures';
import { runSummary } from '../../state/run/run-fixtures';
import { useRuns } from '../../state/run/runs';
import { stepHead } from '../../state/run/step-fixtures';
import { useTimeline } from '../../state/run/timeline';
import { useView } from '../../state/view';
import { compareOpenRun, useExperiments } from './experiments';
import { SideBySide } from './SideBySide';

const hour = 3_600_000;

/** A run whose scores are had at these steps, an hour a step. */
function stats(run: string, steps: number, scores: readonly [step: number, score: number][]): RunStats {
  return {
    run,
    title: `Run ${run}`,
    seq: 9,
    steps,
    startedAt: 0,
    endedAt: 1,
    workingMs: steps * hour,
    points: [],
    evaluations: scores.map(([step, score], nth) => ({
      step,
      at: 0,
      workingMs: step * hour,
      attempt: nth + 1,
      score,
      forced: false,
    })),
    hints: [],
    segments: [],
    buckets: [],
    tools: [],
    masks: [],
    rules: [],
    people: [],
  };
}

const all: Record<string, RunStats> = {
  a: stats('a', 4, [
    [2, 10],
    [4, 30],
  ]),
  b: stats('b', 3, [[1, 10]]),
  c: stats('c', 2, []),
};

const answered = {
  'stats.run': ({ run }: { run: string }) => all[run],
  'timeline.heads': ({ run, from, to }: { run: string; from: number; to: number }) =>
    Array.from({ length: Math.min(to, all[run]?.steps ?? 0) - from + 1 }, (_, nth) =>
      stepHead(from + nth, { run, title: `${run} does ${from + nth}` }),
    ),
};

beforeEach(() => {
  useRuns.setState({
    list: ['a', 'b', 'c'].map((id) => runSummary(id, { title: `Run ${id}` })),
    current: 'a',
    loaded: true,
  });
  useTimeline.setState({ run: 'a', steps: 4, cursor: 1 });
  useExperiments.setState({ pair: null });
  const height = vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600);
  onTestFinished(() => height.mockRestore());
});

const lines = async (some: RegExp) => {
  await screen.findAllByText(some);
  return within(screen.getByRole('region', { name: 'Steps of both runs' }))
    .getAllByRole('listitem')
    .map((line) => [...line.children].map((side) => side.textContent?.replace(/shown$/, '')));
};

test('what each run did to come to the same score stands side by side, then step by step', async () => {
  show(<SideBySide pair={{ a: 'a', b: 'b' }} />, answered);
  expect((await lines(/b does 3/)).map((sides) => sides.map((side) => side?.slice(0, 40)))).toEqual([
    ['Up to score 102 steps, reached after 2.0', 'Up to score 101 step, reached after 1.0 '],
    [expect.stringMatching(/^1a does 1/), expect.stringMatching(/^1b does 1/)],
    [expect.stringMatching(/^2a does 2/), ''],
    ['After their last common score2 steps', 'After their last common score2 steps'],
    [expect.stringMatching(/^3a does 3/), expect.stringMatching(/^2b does 2/)],
    [expect.stringMatching(/^4a does 4/), expect.stringMatching(/^3b does 3/)],
  ]);
  fireEvent.click(screen.getByRole('button', { name: 'Step by step' }));
  expect((await lines(/b does 3/)).map((sides) => sides.map((side) => side?.slice(0, 1) ?? ''))).toEqual([
    ['1', '1'],
    ['2', '2'],
    ['3', '3'],
    ['4', ''],
  ]);
});

test('runs without a common score are listed by step, and it says so', async () => {
  show(<SideBySide pair={{ a: 'a', b: 'c' }} />, answered);
  expect(await screen.findByText(/reached no score in common/)).toBeTruthy();
  expect(await lines(/c does 2/)).toHaveLength(4);
});

test('another run is chosen, sides are swapped, a step is opened in Review, scores are drawn', async () => {
  show(<SideBySide pair={{ a: 'a', b: 'b' }} />, answered);
  await lines(/b does 3/);
  fireEvent.change(screen.getByLabelText('Run on the right'), { target: { value: 'c' } });
  expect(useExperiments.getState().pair).toEqual({ a: 'a', b: 'c' });
  fireEvent.click(screen.getByRole('button', { name: 'Swap the sides' }));
  expect(useExperiments.getState().pair).toEqual({ a: 'b', b: 'a' });
  fireEvent.click(screen.getByRole('button', { name: 'Scores' }));
  expect(screen.getByRole('img').getAttribute('aria-label')).toContain(
    'A: Run a: 2 scores, best 30.0. B: Run b: 1 score, best 10.0.',
  );
  fireEvent.click(screen.getByRole('button', { name: 'At the same score' }));
  await lines(/b does 3/);
  fireEvent.click(screen.getAllByRole('button', { name: 'Open step 3' })[0] as HTMLElement);
  await waitFor(() => expect(useView.getState().mode).toBe('review'));
  expect(useTimeline.getState().cursor).toBe(3);
});

test('the key compares the open run with another of its task; alone it has nothing to compare with', () => {
  const task = { id: 'other', title: 'Other', domain: null };
  useRuns.setState({ list: [runSummary('a'), runSummary('z', { task }), runSummary('b')], current: 'a' });
  expect(compareOpenRun()).toBe(true);
  expect(useExperiments.getState().pair).toEqual({ a: 'a', b: 'b' });
  useRuns.setState({ list: [runSummary('a')], current: 'a' });
  expect(compareOpenRun()).toBe(false);
});
