import type { ExportJob, ExportJobState } from '@shared/contract/export-views';
import { create } from 'zustand';
import { call, listen } from '../../api';
import { attempt, toast } from '../../state/toasts';

interface JobsState {
  /** Newest first. */
  list: ExportJob[];
  open: boolean;
}

/** Exports that are being written, wait, or are over and not yet dismissed. They live in the main process; this is what is known of them. */
export const useJobs = create<JobsState>()(() => ({ list: [], open: false }));

/** Jobs that are not over. */
export function activeJobs(list: readonly ExportJob[]): ExportJob[] {
  return list.filter(({ state }) => !isOver(state));
}

export function isOver(state: ExportJobState): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}

/** A job that a process left when it ended in the middle, and that nobody has taken up yet. */
export function isLeft({ state, resumed }: ExportJob): boolean {
  return state === 'paused' && resumed;
}

/** Share that is done, 0 to 1; null until it is known how much there is. */
export function progressOf({ done, total, state }: ExportJob): number | null {
  if (state === 'done') return 1;
  return total > 0 ? Math.min(1, done / total) : null;
}

/** Reads the jobs, and offers what an earlier window left unfinished. */
export async function loadJobs(): Promise<void> {
  const list = await call('export.jobs');
  useJobs.setState({ list: sorted(list) });
  const left = list.filter(isLeft);
  if (left.length > 0) {
    toast(({ jobs }) => jobs.left(left.length), { say: ({ jobs }) => jobs.show, run: () => openTray(true) });
  }
}

/** Follows the jobs; the returned function ends it. */
export function startJobs(): () => void {
  return listen('export.progress', ({ job }) => putJob(job));
}

export function putJob(job: ExportJob): void {
  const before = useJobs.getState().list.find(({ id }) => id === job.id);
  useJobs.setState(({ list }) => ({ list: sorted([job, ...list.filter(({ id }) => id !== job.id)]) }));
  if (before?.state === job.state || before === undefined) return;
  if (job.state === 'done') {
    const records = job.records;
    toast(({ jobs }) => jobs.doneToast(records), {
      say: ({ jobs }) => jobs.show,
      run: () => openTray(true),
    });
  } else if (job.state === 'failed') openTray(true);
}

function sorted(list: readonly ExportJob[]): ExportJob[] {
  return [...list].sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1));
}

/** Begins an export and shows it in the tray; nothing happens when the folder's dialog was left. */
export async function startExport(start: () => Promise<ExportJob | null>): Promise<ExportJob | null> {
  const job = await start();
  if (job === null) return null;
  // What was pushed meanwhile knows more than the answer.
  if (!useJobs.getState().list.some(({ id }) => id === job.id)) putJob(job);
  openTray(true);
  return job;
}

export function openTray(open: boolean): void {
  useJobs.setState({ open });
}

export function pauseJob(job: string): void {
  attempt(async () => putJob(await call('export.pause', { job })));
}

export function resumeJob(job: string): void {
  attempt(async () => putJob(await call('export.resume', { job })));
}

/** Ends a job and removes what it has written so far; takes one that is over off the list. */
export function cancelJob(job: string): void {
  attempt(async () => useJobs.setState({ list: sorted(await call('export.cancel', { job })) }));
}
