import type { JudgeBatchView } from '@shared/contract/judge-views';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { show, shown } from '../../page-fixtures';
import { useFilter } from '../../state/rows/filter';
import { runSummary } from '../../state/run/run-fixtures';
import { useRuns } from '../../state/run/runs';
import { useTimeline } from '../../state/run/timeline';
import { useView } from '../../state/view';
import { useWorkspace } from '../../state/workspace';
import { usePlots } from '../plots/plots-state';
import { JobsButton } from './JobsButton';
import { useJobs } from './jobs';
import { beginBatches, loadBatches, startBatches, useBatches } from './judge-batches';

const ids = { one: '01ARZ3NDEKTSV4RRFFQ69G5FAV', two: '01ARZ3NDEKTSV4RRFFQ69G5FAW' };
const batch = (change: Partial<JudgeBatchView> = {}): JudgeBatchView => ({
  id: ids.one,
  at: Date.now(),
  judge: 'strict',
  mode: 'mask',
  isTrial: false,
  endpoint: 'strict',
  model: 'judge-1',
  runs: ['a'],
  runCount: 1,
  steps: 'all',
  state: 'running',
  why: null,
  spent: null,
  failure: null,
  isHere: true,
  isStopping: false,
  total: 60,
  asked: 2,
  votes: 45,
  missing: 0,
  found: { masks: 9, keeps: 36, unparsable: 0 },
  cost: 0.12,
  inputTokens: 40_000,
  outputTokens: 2_000,
  maxCost: 2,
  isPriced: true,
  ...change,
});
const done = {
  state: 'done' as const,
  isHere: false,
  total: null,
  votes: 60,
  found: { masks: 12, keeps: 48, unparsable: 0 },
};
const tray = () => screen.getByTestId('jobs');
const item = () => within(tray()).getByRole('listitem');
const buttons = () =>
  within(item())
    .getAllByRole('button')
    .map(({ textContent }) => textContent);

beforeEach(() => {
  localStorage.clear();
  useRuns.setState({ list: [runSummary('a', { title: 'First' })], loaded: true, current: 'a' });
  useBatches.setState({ list: [], dismissed: new Set() });
  useJobs.setState({ list: [], open: true });
  useWorkspace.setState({ status: null, problem: null });
  useView.setState({ mode: 'watch' });
});

test('a batch that works shows how far it is and what it has cost, and can be stopped', async () => {
  const bridge = show(<JobsButton />, {
    'judge.batches': () => [batch()],
    'judge.stop': () => [batch({ isStopping: true })],
  });
  expect(screen.queryByTestId('jobs-button')).toBeNull();
  await act(loadBatches);
  expect(screen.getByTestId('jobs-button').getAttribute('aria-label')).toBe('Jobs: 1 in progress');
  expect(item().textContent).toContain('Judge strictasking');
  expect(item().textContent).toContain('judge-1 · First');
  expect(item().textContent).toContain('45 of 60 steps · 2 requests · 42k tokens · $0.12 of $2.00');
  expect(within(item()).getByRole('progressbar').getAttribute('aria-valuenow')).toBe('75');
  expect(buttons()).toEqual(['Stop']);
  fireEvent.click(screen.getByRole('button', { name: 'Stop' }));
  await waitFor(() => expect(item().textContent).toContain('stopping after the requests in progress'));
  expect(bridge.calls.at(-1)).toEqual(['judge.stop', { batch: ids.one }]);
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Stop' }).disabled).toBe(true);
});

test('a tray that opens with its button lies below it, and Escape gives the focus to the button', async () => {
  const place = vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (
    this: HTMLElement,
  ) {
    return new DOMRect(0, 0, 80, this.className === 'jobs-anchor' ? 66 : 0);
  });
  onTestFinished(() => place.mockRestore());
  show(<JobsButton />, { 'judge.batches': () => [batch()] });
  await act(loadBatches);
  expect(tray().style.top).toBe('72px');
  expect(document.activeElement).toBe(tray());
  fireEvent.keyDown(tray(), { key: 'Escape' });
  expect(screen.queryByTestId('jobs')).toBeNull();
  expect(document.activeElement).toBe(screen.getByTestId('jobs-button'));
});

test('one of another process is followed and stopped as well', async () => {
  const elsewhere = { isHere: false, total: null };
  const bridge = show(<JobsButton />, {
    'judge.batches': () => [batch(elsewhere)],
    'judge.stop': () => [batch({ ...elsewhere, isStopping: true })],
  });
  await act(loadBatches);
  expect(item().textContent).toContain('45 votes');
  expect(item().textContent).toContain(
    'It runs in a separate process and continues when you close this window.',
  );
  expect(buttons()).toEqual(['Stop']);
  fireEvent.click(screen.getByRole('button', { name: 'Stop' }));
  await waitFor(() => expect(item().textContent).toContain('stopping after the requests in progress'));
  expect(bridge.calls.at(-1)).toEqual(['judge.stop', { batch: ids.one }]);
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Stop' }).disabled).toBe(true);
});

test('where the workspace is read-only, a batch of another process cannot be stopped, and the button says why', async () => {
  useWorkspace.setState({ status: { isReadOnly: true } as never });
  show(<JobsButton />, { 'judge.batches': () => [batch({ isHere: false })] });
  await act(loadBatches);
  const stop = screen.getByRole<HTMLButtonElement>('button', { name: 'Stop' });
  expect(stop.disabled).toBe(true);
  expect(stop.title).toContain('read-only');
});

test('one that was interrupted is offered when the window begins, and goes on', async () => {
  const left = batch({ state: 'interrupted', isHere: false, total: null });
  useJobs.setState({ open: false });
  const bridge = show(<JobsButton />, {
    'judge.batches': () => [left],
    'judge.resume': () => [batch()],
  });
  await act(beginBatches);
  expect(screen.getByTestId('jobs-button').getAttribute('aria-label')).toContain('one needs attention');
  fireEvent.click(await screen.findByRole('button', { name: 'Show' }));
  expect(item().textContent).toContain('interrupted');
  fireEvent.click(screen.getByRole('button', { name: 'Continue' }));
  await waitFor(() => expect(item().textContent).toContain('asking'));
  expect(bridge.calls).toContainEqual(['judge.resume', { batch: ids.one, maxCost: null }]);
});

test('at its limit it goes on with as much again; a failure says why', async () => {
  const bridge = show(<JobsButton />, {
    'judge.batches': () => [batch({ state: 'ended', why: 'cost', isHere: false, cost: 1.999 })],
    'judge.resume': () => [
      batch({
        state: 'ended',
        why: 'failed',
        isHere: false,
        failure: { code: 'model_rejected', message: 'The key was refused.' },
      }),
    ],
    'judge.queued': () => ({ count: 0, run: null }),
  });
  await act(loadBatches);
  expect(item().textContent).toContain('reached its cost limit');
  fireEvent.click(await screen.findByRole('button', { name: 'Continue up to $4.00' }));
  expect(await screen.findByText('The key was refused.')).toBeTruthy();
  expect(bridge.calls).toContainEqual(['judge.resume', { batch: ids.one, maxCost: 4 }]);
});

test('in the end it tells what it found, and leads to the steps on which rule and judge differ', async () => {
  let state = batch();
  const bridge = show(<JobsButton />, {
    'judge.batches': () => [state],
    'judge.queued': () => ({ count: 5, run: 'a' }),
    'timeline.matches': () => ({ steps: [1, 2, 3, 4, 5] }),
  });
  useTimeline.setState({ run: 'a', steps: 60, cursor: 1 });
  const stop = startBatches();
  onTestFinished(stop);
  await act(loadBatches);
  fireEvent.click(screen.getByTestId('jobs-button'));
  state = batch({ ...done, missing: 2 });
  await act(async () => bridge.send('judge.changed', {}));
  expect(await screen.findByText('Judge strict is done: 60 votes')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Show' }));
  expect(screen.getByTestId('batch-found').textContent).toBe(
    '12 to mask, 48 to keep · 2 steps got no verdict',
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Review 5 steps where rule and judge differ' }));
  await waitFor(() => expect(useView.getState().mode).toBe('review'));
  await waitFor(() => expect(useFilter.getState().query).toEqual({ marks: ['rule_and_judge_differ'] }));
  expect(useJobs.getState().open).toBe(false);
  expect(bridge.calls).toContainEqual(['judge.queued', { batch: ids.one, queue: 'differs' }]);
  await shown();
});

test('from a batch it is one press to how good its judge is', async () => {
  show(<JobsButton />, {
    'judge.batches': () => [batch({ ...done, runs: ['a', 'b'], runCount: 2 })],
    'judge.queued': () => ({ count: 0, run: null }),
  });
  await act(loadBatches);
  fireEvent.click(await screen.findByRole('button', { name: 'How good is it?' }));
  await waitFor(() => expect(useView.getState().dialog).toBe('plots'));
  expect(usePlots.getState()).toMatchObject({ chosen: 'judges', judge: 'strict', allRuns: true });
});

test('it leads to the steps where the judge is unsure; a trial of a rubric leads nowhere', async () => {
  const bridge = show(<JobsButton />, {
    'judge.batches': () => [batch({ ...done, id: ids.one }), batch({ ...done, id: ids.two, isTrial: true })],
    'judge.queued': ({ queue }: { queue: string }) =>
      queue === 'unsure' ? { count: 1, run: 'a' } : { count: 0, run: null },
    'timeline.matches': () => ({ steps: [4] }),
  });
  useTimeline.setState({ run: 'a', steps: 60, cursor: 1 });
  await act(loadBatches);
  const [first, second] = within(tray()).getAllByRole('listitem');
  expect(second?.textContent).toContain('judge-1 · trial of a rubric · First');
  const review = await within(first as HTMLElement).findAllByRole('button', { name: /^Review/ });
  expect(review.map(({ textContent }) => textContent)).toEqual(['Review 1 step where the judge is unsure']);
  expect(within(second as HTMLElement).queryByRole('button', { name: /^Review/ })).toBeNull();
  fireEvent.click(review[0] as HTMLElement);
  await waitFor(() => expect(useFilter.getState().query).toEqual({ marks: ['low_confidence'] }));
  expect(bridge.calls.map(([name]) => name)).toContain('timeline.matches');
  await shown();
});

test('whoever decides blind is not told what it found', async () => {
  const bridge = show(<JobsButton />, { 'judge.batches': () => [batch({ ...done, found: null })] });
  await act(loadBatches);
  expect(item().textContent).toContain('hidden until you have decided your blind steps');
  expect(screen.queryByTestId('batch-found')).toBeNull();
  expect(bridge.calls.map(([name]) => name)).not.toContain('judge.queued');
});

test('one that was dismissed stays away, also in the next window; old ones that are done are not listed', async () => {
  const old = { at: Date.now() - 48 * 3_600_000 };
  const answers = {
    'judge.batches': () => [
      batch({ id: ids.two, state: 'ended', why: 'cancelled', isHere: false, ...old }),
      batch({ ...done, ...old }),
    ],
    'judge.queued': () => ({ count: 0, run: null }),
  };
  show(<JobsButton />, answers);
  await act(beginBatches);
  expect(item().textContent).toContain('stopped');
  fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
  expect(screen.queryByTestId('jobs-button')).toBeNull();
  await act(beginBatches);
  expect(screen.queryByTestId('jobs-button')).toBeNull();
});

test('votes on what steps are worth are told as such', async () => {
  const found = { masks: 50, keeps: 129, unparsable: 1 };
  let state = batch({ mode: 'reward', total: 180, votes: 90 });
  const bridge = show(<JobsButton />, { 'judge.batches': () => [state] });
  await act(loadBatches);
  expect(item().textContent).toContain('90 of 180 votes');
  state = batch({ ...done, mode: 'reward', votes: 180, found });
  await act(loadBatches);
  expect(item().textContent).toContain('judge-1 · step rewards · First');
  expect(screen.getByTestId('batch-found').textContent).toBe(
    '129 × +1, 50 × −1 · 1 answer could not be read',
  );
  expect(bridge.calls.map(([name]) => name)).not.toContain('judge.queued');
});
