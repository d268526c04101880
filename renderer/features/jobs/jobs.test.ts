import type { ExportJob } from '@shared/contract/export-views';
import { beforeEach, expect, it } from 'vitest';
import { BridgeStand } from '../../state/bridge-fixtures';
import { useToasts } from '../../state/toasts';
import { en } from '../../text/en';
import { activeJobs, cancelJob, isLeft, loadJobs, progressOf, startExport, startJobs, useJobs } from './jobs';

const job = (id: string, more: Partial<ExportJob> = {}): ExportJob => ({
  id,
  folder: '/d',
  format: 'slime',
  state: 'running',
  done: 5,
  total: 10,
  records: 1,
  bytes: 9,
  rate: 2,
  secondsLeft: 3,
  startedAt: 1,
  resumed: false,
  error: null,
  result: null,
  ...more,
});
const said = () => useToasts.getState().toasts.map(({ say }) => say(en));
beforeEach(() => {
  useJobs.setState({ list: [], open: false });
  useToasts.setState({ toasts: [] });
});

it('offers what an earlier window left unfinished', async () => {
  new BridgeStand({
    'export.jobs': () => [job('a', { state: 'paused', resumed: true }), job('b', { startedAt: 2 })],
  });
  await loadJobs();
  expect(useJobs.getState().list.map(({ id }) => id)).toEqual(['b', 'a']);
  expect(said()).toEqual([en.jobs.left(1)]);
  useToasts.getState().toasts[0]?.button?.run?.();
  expect(useJobs.getState().open).toBe(true);
});

it('follows a job, says once that it is done, and opens when one failed', () => {
  const stand = new BridgeStand({});
  const stop = startJobs();
  stand.send('export.progress', { job: job('a') });
  stand.send('export.progress', { job: job('a', { done: 8 }) });
  expect(useJobs.getState().list).toEqual([job('a', { done: 8 })]);
  expect(said()).toEqual([]);
  stand.send('export.progress', { job: job('a', { state: 'done', records: 42 }) });
  stand.send('export.progress', { job: job('a', { state: 'done', records: 42 }) });
  expect(said()).toEqual([en.jobs.doneToast(42)]);
  expect(useJobs.getState().open).toBe(false);
  stand.send('export.progress', { job: job('b') });
  const error = { code: 'disk_full' as const, message: 'The disk is full.' };
  stand.send('export.progress', { job: job('b', { state: 'failed', error }) });
  expect(useJobs.getState().open).toBe(true);
  stop();
  stand.send('export.progress', { job: job('c') });
  expect(useJobs.getState().list).toHaveLength(2);
});

it('does not let the answer to "start" overwrite what was heard meanwhile', async () => {
  const stand = new BridgeStand({});
  const stop = startJobs();
  await startExport(async () => {
    stand.send('export.progress', { job: job('a', { done: 9 }) });
    return job('a', { done: 0, state: 'waiting' });
  });
  expect(useJobs.getState().list[0]?.done).toBe(9);
  expect(useJobs.getState().open).toBe(true);
  stop();
});

it('stays as it is when no folder was chosen', async () => {
  await startExport(async () => null);
  expect(useJobs.getState()).toMatchObject({ list: [], open: false });
});

it('takes a cancelled job off the list as the main process says', async () => {
  useJobs.setState({ list: [job('a'), job('b')] });
  new BridgeStand({ 'export.cancel': () => [job('b')] });
  cancelJob('a');
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(useJobs.getState().list.map(({ id }) => id)).toEqual(['b']);
});

it('counts what is not over, and how far it is', () => {
  const states = (['waiting', 'running', 'paused', 'done', 'failed', 'cancelled'] as const).map((state) =>
    job(state, { state }),
  );
  expect(activeJobs(states).map(({ id }) => id)).toEqual(['waiting', 'running', 'paused']);
  expect(progressOf(job('a'))).toBe(0.5);
  expect(progressOf(job('a', { total: 0, done: 0 }))).toBeNull();
  expect(progressOf(job('a', { state: 'done', total: 0 }))).toBe(1);
  expect(isLeft(job('a', { state: 'paused' }))).toBe(false);
});
