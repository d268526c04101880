import type { RunStats } from '@shared/runs/run-stats';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { show, shown } from '../../page-fixtures';
import { ScorePlot } from './ScorePlot';

const hour = 3_600_000;

/** Half a day by the clock, of which an hour and a half were worked. */
function stats(worked: boolean): RunStats {
  const at = (clock: number, working: number) => ({
    at: clock * hour,
    workingMs: worked ? working * hour : null,
  });
  const evaluation = { attempt: 1, score: 40, forced: false };
  const point = { cost: 2, input: 10, output: 1 };
  return {
    run: 'run',
    title: 'A run',
    seq: 9,
    steps: 2,
    startedAt: 0,
    endedAt: 12 * hour,
    workingMs: worked ? 1.5 * hour : null,
    points: [
      { step: 1, ...at(1, 1), ...point },
      { step: 2, ...at(12, 1.5), ...point },
    ],
    evaluations: [{ step: 2, ...at(11.9, 1.4), ...evaluation }],
    hints: [{ step: 1, ...at(11.5, 1.1), count: 1 }],
    segments: [],
    buckets: [],
    tools: [],
    masks: [],
    rules: [],
    people: [],
  };
}

function cells(): string[][] {
  fireEvent.click(screen.getByRole('button', { name: 'Table' }));
  const table = within(screen.getByRole('table'));
  return table
    .getAllByRole('row')
    .map((row) => [...row.children].slice(0, 3).map((cell) => cell.textContent ?? ''));
}

test('score and cost stand over working hours, drawn, in the table and in the file', async () => {
  const bridge = show(<ScorePlot stats={stats(true)} />, {
    'plots.save': () => ({ path: '/tmp/score.csv' }),
  });
  fireEvent.click(screen.getByRole('tab', { name: 'Working hours' }));
  const drawing = screen.getByRole('img');
  // An axis to 12 would have a whole number at its end.
  expect(drawing.textContent).toContain('Working hours');
  expect(drawing.textContent).not.toContain('12');
  expect(cells()).toEqual([
    ['Step', 'Working hours', 'What'],
    ['2', '1.4', 'Evaluation'],
    ['1', '1.1', 'Hint'],
    ['1', '1', 'Answer'],
    ['2', '1.5', 'Answer'],
  ]);
  fireEvent.click(screen.getByRole('button', { name: 'CSV' }));
  await shown();
  expect(JSON.stringify(bridge.calls)).toContain('Step,Working hours,What');
});

test('where nobody knows when a run worked there are steps only, and no hours of the clock', () => {
  show(<ScorePlot stats={stats(false)} />);
  expect(screen.queryByRole('tab', { name: 'Working hours' })).toBeNull();
  expect(
    cells()
      .slice(1)
      .map(([, hours]) => hours),
  ).toEqual(['', '', '', '']);
});
