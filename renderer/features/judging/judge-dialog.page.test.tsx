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
  rubrics: ['steps@one', 'summaries@two'],
  requests: 3,
  steps: 60,
  inputTokens: 54_321,
  outputTokens: 5_400,
  cost: 0.244,
  obstacle: null,
  ...change,
});
/** What is answered about one judge, and the choices that a dialog begins with. */
const told = (change: Partial<JudgeEstimate> = {}) => ({ judges: [estimate(change)] });
const asks = { mode: 'mask', rubric: 'task' };
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
    'judge.estimate': () => told(),
    'judge.start': () => ({ batches: ['x'] }),
    'judge.batches': () => [],
  });
  expect(start().disabled).toBe(true);
  expect(why()).toBe('Counting what would be sent…');
  await waitFor(() => expect(start().disabled).toBe(false));
  expect(figures()).toEqual(['60', '3', 'about 54k in, 5.4k out', 'about $0.24']);
  expect(why()).toBe('Nothing has been sent yet.');
  fireEvent.change(screen.getByLabelText('Cost limit, $'), { target: { value: '0.1' } });
  expect(screen.getByText(/Below the estimate of \$0\.24/)).toBeTruthy();
  fireEvent.click(start());
  await waitFor(() => expect(onClose).toHaveBeenCalledTimes(1));
  const request = { runs: ['a'], steps: 'all', asks, judges: [{ endpoint: 'strict' }] };
  expect(bridge.calls.slice(0, 2)).toEqual([
    ['judge.estimate', request],
    ['judge.start', { ...request, maxCost: 0.1 }],
  ]);
  expect(useJobs.getState().open).toBe(true);
});

test('the estimate follows each choice; a model without a price has no cost and takes no limit', async () => {
  const bridge = show(<JudgeDialog onClose={() => undefined} />, {
    'judge.estimate': ({ judges, steps }: Asked) =>
      told({ steps: steps === 'all' ? 60 : 7, cost: judges[0]?.endpoint === 'local' ? null : 1.5 }),
  });
  await waitFor(() => expect(start().disabled).toBe(false));
  choose('Steps', 'undecided');
  await waitFor(() => expect(figures()[0]).toBe('7'));
  choose('Model', 'local');
  await waitFor(() => expect(figures()[3]).toBe('unknown, the model has no price'));
  expect(screen.getByLabelText<HTMLInputElement>('Cost limit, $').disabled).toBe(true);
  expect(screen.getByText(/Needs a price for this model/)).toBeTruthy();
  choose('Judge’s name', 'second');
  expect(start().disabled).toBe(true);
  await waitFor(() => expect(start().disabled).toBe(false));
  choose('Runs', 'all');
  await waitFor(() => expect(start().disabled).toBe(false));
  expect(bridge.calls.at(-1)).toEqual([
    'judge.estimate',
    { runs: ['a', 'b', 'c'], steps: 'undecided', asks, judges: [{ endpoint: 'local', judge: 'second' }] },
  ]);
});

test('runs that were selected elsewhere are ticked, and others can be', async () => {
  openJudge(['b', 'c']);
  const bridge = show(<JudgeDialog onClose={() => undefined} />, { 'judge.estimate': () => told() });
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
  show(<JudgeDialog onClose={() => undefined} />, { 'judge.estimate': () => told() });
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
  show(<JudgeDialog onClose={() => undefined} />, { 'judge.estimate': () => told(change) });
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
  fireEvent.change(screen.getByLabelText('Cost limit, $'), { target: { value: 'two' } });
  expect(screen.getByText('Enter a cost above 0, or leave the limit empty.')).toBeTruthy();
});

test('a start that is refused leaves the dialog as it was', async () => {
  const onClose = vi.fn();
  show(<JudgeDialog onClose={onClose} />, {
    'judge.estimate': () => told(),
    'judge.start': () => {
      throw { code: 'refused', message: 'strict is being asked already.' };
    },
  });
  await waitFor(() => expect(start().disabled).toBe(false));
  fireEvent.click(start());
  const dialog = within(screen.getByRole('dialog'));
  expect(await dialog.findByText(/strict is being asked already/)).toBeTruthy();
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

test('several judges are asked in one go: their figures, their sum, and a limit on each', async () => {
  const bridge = show(<JudgeDialog onClose={() => undefined} />, {
    'judge.estimate': ({ judges }: Asked) => ({
      judges: judges.map(({ endpoint, judge }) =>
        estimate({ judge: judge ?? endpoint, cost: endpoint === 'local' ? null : 0.244 }),
      ),
    }),
    'judge.start': () => ({ batches: ['x', 'y'] }),
    'judge.batches': () => [],
  });
  await waitFor(() => expect(start().disabled).toBe(false));
  fireEvent.click(screen.getByRole('button', { name: 'Add a judge' }));
  // The next endpoint that no other judge asks.
  expect(screen.getByLabelText<HTMLSelectElement>('Model of judge 2').value).toBe('local');
  expect(screen.getByLabelText<HTMLInputElement>('Cost limit each, $').disabled).toBe(true);
  const rows = await screen.findAllByRole('row');
  expect(rows.map((row) => [...row.children].map(({ textContent }) => textContent))).toEqual([
    ['Judge', 'Steps', 'Requests', 'Tokens', 'Cost'],
    ['strict', '60', '3', 'about 54k in, 5.4k out', 'about $0.24'],
    ['local', '60', '3', 'about 54k in, 5.4k out', 'unknown, the model has no price'],
    ['All judges', '120', '6', 'about 109k in, 11k out', 'unknown, not every model has a price'],
  ]);
  choose('Model of judge 2', 'strict');
  expect(screen.getByRole('alert').textContent).toBe(
    'Two judges are called strict. Give them different names.',
  );
  for (const nth of [1, 2])
    expect(screen.getByLabelText(`Name of judge ${nth}`).getAttribute('aria-invalid')).toBe('true');
  expect(start().disabled).toBe(true);
  choose('Name of judge 2', 'second');
  await waitFor(() => expect(start().disabled).toBe(false));
  choose('Cost limit each, $', '2');
  fireEvent.click(start());
  const judges = [{ endpoint: 'strict' }, { endpoint: 'strict', judge: 'second' }];
  await waitFor(() =>
    expect(bridge.calls).toContainEqual([
      'judge.start',
      { runs: ['a'], steps: 'all', asks, judges, maxCost: 2 },
    ]),
  );
});

test('a judge that is removed is not asked, and one is always left', async () => {
  const bridge = show(<JudgeDialog onClose={() => undefined} />, { 'judge.estimate': () => told() });
  expect(screen.queryByRole('button', { name: /^Remove judge/ })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Add a judge' }));
  fireEvent.click(screen.getByRole('button', { name: 'Remove judge 1' }));
  await waitFor(() => expect(start().disabled).toBe(false));
  expect(bridge.calls.at(-1)).toMatchObject(['judge.estimate', { judges: [{ endpoint: 'local' }] }]);
  expect(screen.queryByRole('button', { name: /^Remove judge/ })).toBeNull();
});

test('step rewards are asked for with votes, temperature, regard and rubric', async () => {
  const bridge = show(<JudgeDialog onClose={() => undefined} />, {
    'judge.estimate': () => told({ rubrics: ['reward-steps@one'] }),
  });
  fireEvent.click(screen.getByRole('button', { name: 'Step rewards' }));
  expect(screen.getByText(/Ratings change no label/)).toBeTruthy();
  await waitFor(() => expect(start().disabled).toBe(false));
  expect(bridge.calls.at(-1)).toEqual([
    'judge.estimate',
    {
      runs: ['a'],
      steps: 'all',
      asks: { mode: 'reward', rubric: 'steps', votes: 3, temperature: 0.8, future: true },
      judges: [{ endpoint: 'strict' }],
    },
  ]);
  choose('Votes per step', '65');
  expect(screen.getByText('Enter a whole number from 1 to 64.')).toBeTruthy();
  choose('Votes per step', '8');
  choose('Temperature', 'warm');
  expect(screen.getByText('Enter a number from 0 to 2.')).toBeTruthy();
  expect(start().disabled).toBe(true);
  choose('Temperature', '0');
  choose('Rubric', 'rlanything');
  fireEvent.click(screen.getByRole('checkbox', { name: 'Weigh its effect on the outcome' }));
  await waitFor(() => expect(start().disabled).toBe(false));
  expect(bridge.calls.at(-1)).toMatchObject([
    'judge.estimate',
    { asks: { mode: 'reward', rubric: 'rlanything', votes: 8, temperature: 0, future: false } },
  ]);
});

const chosen = (bytes: BlobPart, name = 'own.md') =>
  fireEvent.change(screen.getByLabelText('File with the rubric'), {
    target: { files: [new File([bytes], name)] },
  });

test('a rubric of one’s own is read from a file; what is none says so', async () => {
  const bridge = show(<JudgeDialog onClose={() => undefined} />, { 'judge.estimate': () => told() });
  await waitFor(() => expect(start().disabled).toBe(false));
  expect(screen.getByText('Version steps@one, summaries@two')).toBeTruthy();
  choose('Rubric', 'built-in');
  await waitFor(() => expect(start().disabled).toBe(false));
  expect(bridge.calls.at(-1)).toMatchObject([
    'judge.estimate',
    { asks: { mode: 'mask', rubric: 'built-in' } },
  ]);
  choose('Rubric', 'file');
  expect(why()).toBe('Choose the file with the rubric.');
  const asked = bridge.calls.length;
  chosen(new Uint8Array([0xff, 0xfe]));
  expect(await screen.findByText('The file is not UTF-8 text.')).toBeTruthy();
  chosen('x'.repeat(70_000));
  expect(await screen.findByText('The file is too long to be a rubric: at most 64 KB.')).toBeTruthy();
  chosen(' \n');
  expect(await screen.findByText('The file is empty.')).toBeTruthy();
  expect(start().disabled).toBe(true);
  expect(bridge.calls).toHaveLength(asked);
  chosen('Keep what helps.');
  await waitFor(() => expect(start().disabled).toBe(false));
  expect(bridge.calls.at(-1)).toMatchObject([
    'judge.estimate',
    { asks: { mode: 'mask', rubric: { text: 'Keep what helps.' } } },
  ]);
  expect(screen.getByRole('option', { name: 'File own.md' })).toBeTruthy();
});

test('steps that changed since can be asked about, also as what the dialog begins with', async () => {
  openJudge(['a'], 'changed');
  const bridge = show(<JudgeDialog onClose={() => undefined} />, {
    'judge.estimate': () => told({ steps: 0, requests: 0 }),
  });
  await waitFor(() => expect(why()).toBe('Nothing has changed since strict judged these steps.'));
  expect(bridge.calls.at(-1)).toMatchObject(['judge.estimate', { steps: 'changed' }]);
  expect(screen.getByText(/judged with another rubric, or before a hint or a purge/)).toBeTruthy();
});

test('the rubric of the task can be edited from here, where the runs are of one', async () => {
  show(<JudgeDialog onClose={() => undefined} />, { 'judge.estimate': () => told() });
  await waitFor(() => expect(start().disabled).toBe(false));
  fireEvent.click(screen.getByRole('button', { name: 'Edit…' }));
  expect(useView.getState().dialog).toBe('rubric');
});
