import type { ExperimentListing, ExperimentRun } from '@shared/experiments/experiment-run';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { show, shown } from '../../page-fixtures';
import { runSummary } from '../../state/run/run-fixtures';
import { useRuns } from '../../state/run/runs';
import { useView } from '../../state/view';
import { ExperimentsPage } from './ExperimentsPage';
import { useExperiments } from './experiments';

const hour = 3_600_000;

function listing(name: string, given: Partial<ExperimentListing> = {}): ExperimentListing {
  return { name, runs: 4, arms: 2, tasks: 2, ended: 4, createdAt: 5, ...given };
}

function run(
  id: string,
  arm: string | null,
  task: string,
  given: Partial<ExperimentRun> = {},
): ExperimentRun {
  return {
    run: id,
    title: `Run ${id}`,
    arm,
    task: {
      id: task,
      title: `Task ${task}`,
      domain: task === 't1' ? 'Loss Design' : 'Data Filtering',
      hash: task,
    },
    model: 'glm',
    taskHint: 'off',
    humanHints: arm === 'hints',
    group: null,
    sample: null,
    seed: null,
    branch: false,
    status: 'finished',
    ended: true,
    final: 10,
    best: 12,
    timeToBestMs: hour,
    workingMs: 2 * hour,
    cost: 3,
    steps: 20,
    scores: [
      { ms: hour, step: 5, score: 12 },
      { ms: 2 * hour, step: 20, score: 10 },
    ],
    hints: [],
    hintWords: 0,
    review: { ms: 0, steps: 0, labels: 0 },
    looks: { n: 0, ms: 0 },
    ...given,
  };
}

const runs = [
  run('a1', 'none', 't1'),
  run('a2', 'none', 't2', { final: 20, cost: null }),
  run('b1', 'hints', 't1', {
    final: 18,
    hints: [{ category: 'strategy', step: 5, before: 12, after: 18, stepsToBetter: 4 }],
    hintWords: 7,
    looks: { n: 4, ms: 30 * 60_000 },
    review: { ms: 120_000, steps: 6, labels: 8 },
  }),
  run('b2', 'hints', 't2', { final: 24 }),
];

beforeEach(() => {
  useExperiments.setState({ name: null, pair: null });
  useRuns.setState({ list: runs.map((each) => runSummary(each.run)), current: 'a1', loaded: true });
  const height = vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(400);
  onTestFinished(() => height.mockRestore());
});

const texts = (row: HTMLElement | undefined) => [...(row?.children ?? [])].map((cell) => cell.textContent);
const rowOf = (table: string, name: string) =>
  within(screen.getByTestId(table))
    .getAllByRole('row')
    .filter((row) => row.querySelector('th[scope="row"]')?.textContent === name);

test('arms stand side by side with their settings, means, and the difference to the arm without hints', async () => {
  show(<ExperimentsPage head="Export" />, {
    'datasets.list': () => [],
    'experiments.list': () => [listing('hints or not'), listing('older')],
    'experiments.show': () => runs,
  });
  await screen.findByTestId('arms');
  const [final, difference] = rowOf('arms', 'Final score');
  expect(texts(final)).toEqual(['Final score', '21.0 ± 4.2', '15.0 ± 7.1']);
  // Paired by task: (18 − 10) and (24 − 20).
  expect(texts(difference)).toEqual(['Final score', '+6.0 ± 2.8', '–']);
  expect(texts(rowOf('arms', 'Tasks better / worse')[0])).toEqual([
    'Tasks better / worse',
    '2 / 0 of 2',
    '–',
  ]);
  expect(texts(rowOf('arms', 'Human hints')[0])).toEqual(['Human hints', 'allowed', 'off']);
  // One unknown cost makes a mean of costs unknown.
  expect(texts(rowOf('arms', 'Cost')[0])).toEqual(['Cost', '$3.00 ± $0.00', 'unknown']);
  fireEvent.change(screen.getByLabelText('Arm to compare with'), { target: { value: 'hints' } });
  expect(texts(rowOf('arms', 'Final score')[1])).toEqual(['Final score', '–', '−6.0 ± 2.8']);
});

test('a difference that is shown as 0 has no sign', async () => {
  show(<ExperimentsPage head="Export" />, {
    'datasets.list': () => [],
    'experiments.list': () => [listing('e')],
    'experiments.show': () => [
      run('a1', 'none', 't1'),
      run('b1', 'hints', 't1', { final: 10.02, best: 11.98, cost: 2.5 }),
    ],
  });
  await screen.findByTestId('arms');
  const signs = ['Final score', 'Best score', 'Cost'].map((name) => texts(rowOf('arms', name)[1])[1]);
  expect(signs).toEqual(['0.0', '0.0', '−$0.50']);
});

test('a measure by domain or by task, hints, and effort', async () => {
  show(<ExperimentsPage head="Export" />, {
    'datasets.list': () => [],
    'experiments.list': () => [listing('e')],
    'experiments.show': () => runs,
  });
  await screen.findByTestId('parts');
  expect(texts(rowOf('parts', 'Loss Design')[0])).toEqual(['Loss Design', '18.0', '10.0']);
  fireEvent.click(screen.getByRole('button', { name: 'Task' }));
  fireEvent.change(screen.getByLabelText('Measure'), { target: { value: 'hours' } });
  expect(texts(rowOf('parts', 'Task t2')[0])).toEqual(['Task t2', '2.0', '2.0']);
  expect(texts(rowOf('hint-effect', 'hints')[0])).toEqual([
    ...['hints', 'strategy', '1', '12.0', '18.0', '+6.0', '1 of 1', '4.0'],
  ]);
  expect(texts(rowOf('effort', 'hints')[0])).toEqual([
    ...['hints', '1', '7', '30.0', '1.0', '2.0', '6', '4.0', '16.0', '$3.00 ± $0.00'],
  ]);
});

test('time in review that is withheld is not shown as none', async () => {
  show(<ExperimentsPage head="Export" />, {
    'datasets.list': () => [],
    'experiments.list': () => [listing('e')],
    'experiments.show': () => [run('a1', 'none', 't1', { review: null })],
  });
  await screen.findByTestId('effort');
  expect(texts(rowOf('effort', 'none')[0])?.slice(5, 9)).toEqual(Array(4).fill('withheld'));
});

test('the report, the runs and each table are saved as files with the figures of the page', async () => {
  const saved: { name: string; format: string; content: string }[] = [];
  show(<ExperimentsPage head="Export" />, {
    'datasets.list': () => [],
    'experiments.list': () => [listing('e')],
    'experiments.show': () => runs,
    'plots.save': (file: (typeof saved)[number]) => {
      saved.push(file);
      return { path: `/tmp/${file.name}` };
    },
  });
  await screen.findByTestId('arms');
  fireEvent.click(screen.getByRole('button', { name: 'Save report' }));
  fireEvent.click(screen.getByRole('button', { name: 'Save runs as CSV' }));
  const arms = within(screen.getByRole('figure', { name: 'Arms side by side' }));
  fireEvent.click(arms.getByRole('button', { name: 'CSV' }));
  await waitFor(() => expect(saved).toHaveLength(3));
  expect(saved.map(({ name, format }) => [name, format])).toEqual([
    ['e', 'md'],
    ['e, Runs', 'csv'],
    ['e, Arms side by side', 'csv'],
  ]);
  expect(saved[0]?.content).toContain('| hints | 2 | +6.00 ± 2.83 |');
  expect(saved[1]?.content.split('\n')[3]).toContain('b1,Run b1,hints,t1,Loss Design,glm,off,true');
  expect(saved[2]?.content).toContain('hints,Against none,Final score,6,');
  expect(await screen.findByText('Saved /tmp/e, Arms side by side')).toBeTruthy();
});

test('two ticked runs are set side by side, the third takes the place of the first; a title opens its run', async () => {
  show(<ExperimentsPage head="Export" />, {
    'datasets.list': () => [],
    'experiments.list': () => [listing('e')],
    'experiments.show': () => runs,
    'stats.run': () => new Promise(() => undefined),
  });
  await screen.findByTestId('runs');
  const compare = screen.getByRole<HTMLButtonElement>('button', { name: 'Compare' });
  expect(compare.disabled).toBe(true);
  for (const title of ['Run a1', 'Run a2', 'Run b2'])
    fireEvent.click(screen.getByLabelText(`Compare ${title}`));
  fireEvent.click(screen.getByRole('button', { name: 'Run a2' }));
  await waitFor(() => expect(useView.getState().mode).toBe('review'));
  expect(useRuns.getState().current).toBe('a2');
  fireEvent.click(compare);
  expect(useExperiments.getState().pair).toEqual({ a: 'a2', b: 'b2' });
  expect(await screen.findByRole('region', { name: 'Two runs side by side' })).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Experiments' }));
  expect(await screen.findByTestId('arms')).toBeTruthy();
});

test('without an experiment it says how there comes to be one; a failure is shown in its own words', async () => {
  show(<ExperimentsPage head="Export" />, { 'experiments.list': () => [] });
  expect(await screen.findByText('No experiments yet')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Start a run' }));
  expect(useView.getState().dialog).toBe('newRun');
});

test('another experiment is chosen by key, and the one that fails says why', async () => {
  show(<ExperimentsPage head="Export" />, {
    'datasets.list': () => [],
    'experiments.list': () => [listing('one'), listing('two words')],
    'experiments.show': ({ name }: { name: string }) => {
      if (name === 'one') return runs;
      throw new Error('The log is damaged.');
    },
  });
  await screen.findByTestId('arms');
  fireEvent.keyDown(screen.getByRole('listbox', { name: 'Experiments' }), { key: 'j' });
  expect((await screen.findByRole('alert')).textContent).toContain('The log is damaged.');
  expect(screen.getByRole('option', { selected: true }).textContent).toContain('two words');
  expect(screen.queryByTestId('arms')).toBeNull();
  await shown();
});

test('contamination compares the tasks with those of another experiment or a dataset', async () => {
  const asked: unknown[] = [];
  show(<ExperimentsPage head="Export" />, {
    'experiments.list': () => [listing('test'), listing('training')],
    'experiments.show': () => runs,
    'datasets.list': () => [{ id: 'd', folder: '/exports/old', writtenAt: 1 }],
    'experiments.overlap': ({ other }: { other: { dataset?: string } }) => {
      asked.push(other);
      if (other.dataset !== undefined) return null;
      return [
        { task: 't1', title: 'Task t1', other: 'x', otherTitle: 'Task x', kind: 'passages', shared: 0.42 },
        { task: 't2', title: 'Task t2', other: 't2', otherTitle: 'Task t2', kind: 'package', shared: 0 },
      ];
    },
  });
  const sets = await screen.findByLabelText<HTMLSelectElement>('Set of tasks to compare with');
  await waitFor(() => expect(sets.options).toHaveLength(3));
  expect([...sets.options].map((option) => option.textContent?.split(',')[0])).toEqual([
    ...['Compare with…', 'Dataset old', 'Experiment training'],
  ]);
  fireEvent.change(sets, { target: { value: sets.options[2]?.value } });
  await screen.findByTestId('overlaps');
  expect(texts(rowOf('overlaps', 'Task t1')[0])).toEqual([
    'Task t1',
    'Task x',
    'similar description',
    '42.0 %',
  ]);
  // One package without a description shares no passages with itself, which says nothing.
  expect(texts(rowOf('overlaps', 'Task t2')[0])).toEqual(['Task t2', 'Task t2', 'same package', '–']);
  fireEvent.change(sets, { target: { value: sets.options[1]?.value } });
  expect(await screen.findByText(/Export it again to compare it/)).toBeTruthy();
  expect(asked).toEqual([{ experiment: 'training' }, { dataset: 'd' }]);
});
