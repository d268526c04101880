import type { CommandInput } from '@shared/contract/ipc';
import type { JudgeEstimate } from '@shared/contract/judge-views';
import { endpointSchema, settingsSchema } from '@shared/contract/settings';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { show, shown } from '../../page-fixtures';
import { runSummary } from '../../state/run/run-fixtures';
import { useRuns } from '../../state/run/runs';
import { useSettings } from '../../state/settings';
import { useView } from '../../state/view';
import { useWorkspace } from '../../state/workspace';
import { useJobs } from '../jobs/jobs';
import { useBatches } from '../jobs/judge-batches';
import { JudgeDialog } from './JudgeDialog';
import { openJudge } from './judging';

type Asked = CommandInput<'judge.estimate'>;

const price = { input: 3, cached: 1, output: 15 };
const endpoints = [
  endpointSchema.parse({ name: 'strict', baseUrl: 'http://judge.test/v1', model: 'judge-1', price }),
  endpointSchema.parse({ name: 'local', baseUrl: 'http://127.0.0.1:8000/v1', model: 'judge-2' }),
];
const estimate = (change: Partial<JudgeEstimate> = {}): JudgeEstimate => ({
  judge: 'strict',
  requests: 3,
  steps: 60,
  inputTokens: 54_321,
  outputTokens: 5_400,
  cost: 0.244,
  obstacle: null,
  ...change,
});
const start = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Start' });
const choose = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
const figures = () =>
  within(screen.getByRole('region', { name: 'Estimate' }))
    .getAllByRole('definition')
    .map(({ textContent }) => textContent);
const why = () => screen.getByTestId('judge-why').textContent;

beforeEach(() => {
  useRuns.setState({
    list: [runSummary('a', { title: 'First' }), runSummary('b', { title: 'Second' }), runSummary('c')],
    loaded: true,
    current: 'a',
  });
  useSettings.setState({ settings: settingsSchema.parse({ endpoints }) });
  useWorkspace.setState({ status: null, problem: null });
  useBatches.setState({ list: [], dismissed: new Set() });
  useJobs.setState({ list: [], open: false });
  openJudge();
});

test('what would be sent is told before anything is sent, and what was chosen is started', async () => {
  const onClose = vi.fn();
  const bridge = show(<JudgeDialog onClose={onClose} />, {
    'judge.estimate': () => estimate(),
    'judge.start': () => ({ batch: 'x' }),
    'judge.batches': () => [],
  });
  expect(start().disabled).toBe(true);
  expect(why()).toBe('Counting what would be sent…');
  await waitFor(() => expect(start().disabled).toBe(false));
  expect(figures()).toEqual(['60', '3', 'about 54k in, 5.4k out', 'about $0.24']);
  expect(why()).toBe('Nothing has been sent yet.');
  fireEvent.change(screen.getByLabelText('Cost limit'), { target: { value: '0.1' } });
  expect(screen.getByText(/Below the estimate of \$0\.24/)).toBeTruthy();
  fireEvent.click(start());
  await waitFor(() => expect(onClose).toHaveBeenCalledTimes(1));
  const request = { runs: ['a'], steps: 'all', endpoint: 'strict' };
  expect(bridge.calls.slice(0, 2)).toEqual([
    ['judge.estimate', request],
    ['judge.start', { ...request, maxCost: 0.1 }],
  ]);
  expect(useJobs.getState().open).toBe(true);
});

test('the estimate follows each choice; a model without a price has no cost and takes no limit', async () => {
  const bridge = show(<JudgeDialog onClose={() => undefined} />, {
    'judge.estimate': ({ endpoint, steps }: Asked) =>
      estimate({ steps: steps === 'all' ? 60 : 7, cost: endpoint === 'local' ? null : 1.5 }),
  });
  await waitFor(() => expect(start().disabled).toBe(false));
  choose('Steps', 'undecided');
  await waitFor(() => expect(figures()[0]).toBe('7'));
  choose('Model', 'local');
  await waitFor(() => expect(figures()[3]).toBe('unknown, the model has no price'));
  expect(screen.getByLabelText<HTMLInputElement>('Cost limit').disabled).toBe(true);
  expect(screen.getByText(/Needs a price for this model/)).toBeTruthy();
  choose('Judge’s name', 'second');
  expect(start().disabled).toBe(true);
  await waitFor(() => expect(start().disabled).toBe(false));
  choose('Runs', 'all');
  await waitFor(() => expect(start().disabled).toBe(false));
  expect(bridge.calls.at(-1)).toEqual([
    'judge.estimate',
    { runs: ['a', 'b', 'c'], steps: 'undecided', endpoint: 'local', judge: 'second' },
  ]);
});

test('runs that were selected elsewhere are ticked, and others can be', async () => {
  openJudge(['b', 'c']);
  const bridge = show(<JudgeDialog onClose={() => undefined} />, { 'judge.estimate': () => estimate() });
  const ticked = () => screen.getAllByRole<HTMLInputElement>('checkbox').map((box) => box.checked);
  expect(ticked()).toEqual([false, true, true]);
  await waitFor(() => expect(start().disabled).toBe(false));
  for (const box of screen.getAllByRole('checkbox').slice(1)) fireEvent.click(box);
  expect(why()).toBe('Select at least one run.');
  expect(screen.queryByText('Counting what would be sent…')).toBeNull();
  expect(start().disabled).toBe(true);
  fireEvent.click(screen.getAllByRole('checkbox')[0] as HTMLElement);
  await waitFor(() => expect(start().disabled).toBe(false));
  expect(bridge.calls.at(-1)).toMatchObject(['judge.estimate', { runs: ['a'] }]);
});

test('whoever begins to select runs begins with the open one', async () => {
  show(<JudgeDialog onClose={() => undefined} />, { 'judge.estimate': () => estimate() });
  choose('Runs', 'some');
  const [first, second] = screen.getAllByRole<HTMLInputElement>('checkbox');
  expect([first?.checked, second?.checked]).toEqual([true, false]);
  await waitFor(() => expect(start().disabled).toBe(false));
});

test.each([
  [{ steps: 0, requests: 0 }, 'strict has already judged all of these steps.'],
  [
    { obstacle: { code: 'model_key_missing' as const, message: 'The key for strict is locked.' } },
    'The key for strict is locked.',
  ],
])('what stands in the way is named: %o', async (change, words) => {
  show(<JudgeDialog onClose={() => undefined} />, { 'judge.estimate': () => estimate(change) });
  await waitFor(() => expect(why()).toBe(words));
  expect(start().disabled).toBe(true);
});

test('an estimate that is refused says why in its place; a wrong limit is named', async () => {
  show(<JudgeDialog onClose={() => undefined} />, {
    'judge.estimate': () => {
      throw { code: 'refused', message: 'You review steps of these runs blind.' };
    },
  });
  expect(await screen.findByText('You review steps of these runs blind.')).toBeTruthy();
  expect(start().disabled).toBe(true);
  fireEvent.change(screen.getByLabelText('Cost limit'), { target: { value: 'two' } });
  expect(screen.getByText('Enter a cost above 0, or leave the limit empty.')).toBeTruthy();
});

test('a start that is refused leaves the dialog as it was', async () => {
  const onClose = vi.fn();
  show(<JudgeDialog onClose={onClose} />, {
    'judge.estimate': () => estimate(),
    'judge.start': () => {
      throw { code: 'refused', message: 'strict is being asked already.' };
    },
  });
  await waitFor(() => expect(start().disabled).toBe(false));
  fireEvent.click(start());
  expect(await screen.findByText(/strict is being asked already/)).toBeTruthy();
  await shown();
  expect(onClose).not.toHaveBeenCalled();
  expect(start().disabled).toBe(false);
});

test('without a model it leads to the settings', () => {
  useSettings.setState({ settings: settingsSchema.parse({}) });
  show(<JudgeDialog onClose={() => undefined} />);
  expect(screen.queryByRole('button', { name: 'Start' })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Open settings' }));
  expect(useView.getState().dialog).toBe('settings');
});
