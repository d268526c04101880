import { resolve } from 'node:path';
import { toFailure, WaymarkError } from '@shared/contract/errors';
import type { ExportOptions } from '@shared/contract/export-request';
import type { ExportJob } from '@shared/contract/export-views';
import { newUlid } from '../../base/new-ulid';
import type { Clock } from '../../clock';
import { withoutLinks } from '../../files/workspace-paths';
import { DatasetRegistry, datasetView } from '../past/dataset-registry';
import type { PrivateSources } from '../redaction/settings';
import type { ExportProgress, ExportRunner, RunningExport } from './export-runner';
import { abandonLeft, type LeftExport, leftExport } from './left-exports';

export interface ExportJobsOptions {
  run: ExportRunner;
  clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Hears of each change, progress at most five times a second. */
  tell(job: ExportJob): void;
  /** What must not leave this installation, now. */
  sources?(): PrivateSources;
  /** A dataset was added to the list of the workspace. */
  written(): void;
}

interface Job {
  view: ExportJob;
  workspace: string;
  options: ExportOptions;
  register: boolean;
  running: RunningExport | null;
  meter: RateMeter;
  toldAt: number;
}

const tellEveryMs = 200;
/** Exports at once; more wait. Each has a thread, and they share one disk. */
const mostAtOnce = 1;
/** Jobs that are over and still listed. */
const mostOver = 20;

/** The exports of one process: one writes at a time, the others wait. What a killed process left is listed as paused. */
export class ExportJobs {
  private readonly jobs = new Map<string, Job>();
  private closed = false;

  constructor(private readonly options: ExportJobsOptions) {}

  /** Takes the export on; it begins once those before it are done. @throws WaymarkError already_exists while one writes there */
  async start(
    workspace: string,
    { out, options, register }: { out: string; options: ExportOptions; register: boolean },
  ): Promise<ExportJob> {
    const folder = await withoutLinks(resolve(out));
    const there = [...this.jobs.values()].find(({ view }) => view.folder === folder && !isOver(view));
    if (there !== undefined) {
      throw new WaymarkError(
        'already_exists',
        `An export to ${folder} is ${there.view.state === 'paused' ? 'paused' : 'running'}. Let it finish or cancel it, or choose another folder.`,
        folder,
      );
    }
    const job = this.take(newUlid(), {
      workspace,
      folder,
      options,
      register,
      startedAt: this.options.clock.now(),
    });
    if (register) {
      const { id, startedAt } = job.view;
      await new DatasetRegistry(workspace).keepJob({ id, folder, options, startedAt, pid: process.pid });
    }
    this.next();
    return { ...job.view };
  }

  /** Jobs of this process, oldest first, then what killed processes left of this workspace. */
  async list(workspace: string | null): Promise<ExportJob[]> {
    const own = [...this.jobs.values()].map(({ view }) => ({ ...view }));
    if (workspace === null) return own;
    return [...own, ...(await this.left(workspace)).map(({ view }) => view)];
  }

  /** @throws WaymarkError not_found, refused for a job that is over */
  pause(id: string): ExportJob {
    const job = this.open(id);
    job.running?.pause();
    this.change(job, { state: 'paused', rate: null, secondsLeft: null });
    this.next();
    return { ...job.view };
  }

  /** Goes on with a paused job, or takes up what a killed process left. @throws WaymarkError as `pause` */
  async resume(id: string, workspace: string | null): Promise<ExportJob> {
    const job = this.jobs.get(id) ?? (await this.takeUp(id, workspace));
    if (isOver(job.view)) throw over(job.view);
    if (job.view.state === 'paused') {
      job.meter.restart();
      this.change(job, { state: 'waiting' });
      this.next();
    }
    return { ...job.view };
  }

  /** Ends a job and deletes what it had written; one that is over leaves the list. @throws WaymarkError not_found */
  async cancel(id: string, workspace: string | null): Promise<void> {
    const job = this.jobs.get(id);
    if (job === undefined) {
      const left = (await this.leftOrNone(workspace)).find(({ view }) => view.id === id);
      if (left === undefined) throw noJob(id);
      await abandonLeft(left.partial);
      if (workspace !== null) new DatasetRegistry(workspace).dropJob(id);
      return;
    }
    if (isOver(job.view)) {
      this.jobs.delete(id);
      return;
    }
    if (job.running === null) this.change(job, { state: 'cancelled' });
    else {
      const { done } = job.running;
      job.running.cancel();
      await done.catch(() => undefined);
    }
    if (job.register) new DatasetRegistry(job.workspace).dropJob(id);
    this.next();
  }

  /** Stops what is written; it can go on later. */
  async close(): Promise<void> {
    this.closed = true;
    const running = [...this.jobs.values()].flatMap((job) => job.running ?? []);
    for (const each of running) each.stop();
    await Promise.allSettled(running.map(({ done }) => done));
  }

  private take(
    id: string,
    facts: Pick<Job, 'workspace' | 'options' | 'register'> & { folder: string; startedAt: number },
  ): Job {
    const { folder, startedAt, ...rest } = facts;
    const job: Job = {
      ...rest,
      running: null,
      meter: new RateMeter(),
      toldAt: Number.NEGATIVE_INFINITY,
      view: {
        id,
        folder,
        format: facts.options.format,
        state: 'waiting',
        startedAt,
        done: 0,
        total: 0,
        records: 0,
        bytes: 0,
        rate: null,
        secondsLeft: null,
        resumed: false,
        error: null,
        result: null,
      },
    };
    this.jobs.set(id, job);
    const over = [...this.jobs.values()].filter(({ view }) => isOver(view));
    for (const { view } of over.slice(0, Math.max(0, over.length - mostOver))) this.jobs.delete(view.id);
    return job;
  }

  private async takeUp(id: string, workspace: string | null): Promise<Job> {
    const left = (await this.leftOrNone(workspace)).find(({ view }) => view.id === id);
    if (left === undefined || workspace === null) throw noJob(id);
    const known = this.jobs.get(id);
    if (known !== undefined) return known;
    const { folder, startedAt } = left.view;
    const job = this.take(id, { workspace, folder, options: left.options, register: true, startedAt });
    job.view = { ...left.view };
    return job;
  }

  private leftOrNone(workspace: string | null): Promise<LeftExport[]> {
    return workspace === null ? Promise.resolve([]) : this.left(workspace);
  }

  /** Of a job whose partial folder is gone there is nothing to go on with, and its note goes. */
  private async left(workspace: string): Promise<LeftExport[]> {
    const registry = new DatasetRegistry(workspace);
    const found: LeftExport[] = [];
    for (const stored of await registry.jobs()) {
      const known = this.jobs.get(stored.id);
      // Of one that is over there is nothing to go on with.
      if (known !== undefined && isOver(known.view)) registry.dropJob(stored.id);
      if (known !== undefined) continue;
      const left = await leftExport(stored);
      if (left === 'alive') continue;
      if (left === 'gone') registry.dropJob(stored.id);
      else found.push(left);
    }
    return found.sort((a, b) => a.view.startedAt - b.view.startedAt);
  }

  /** Lets those that wait begin, in their order. */
  private next(): void {
    if (this.closed) return;
    const all = [...this.jobs.values()];
    let free = mostAtOnce - all.filter(({ view }) => view.state === 'running').length;
    for (const job of all) {
      if (free <= 0) return;
      if (job.view.state !== 'waiting') continue;
      free -= 1;
      if (job.running === null) this.run(job);
      else job.running.resume();
      this.change(job, { state: 'running' });
    }
  }

  private run(job: Job): void {
    const { options, workspace, register, view } = job;
    const sources = this.options.sources?.();
    const task = { job: view.id, workspace, out: view.folder, options, register, sources };
    const running = this.options.run({ ...task, goOn: view.resumed ? 'pinned' : 'same' }, (progress) =>
      this.progress(job, progress),
    );
    job.running = running;
    running.done
      .then(async ({ dataset, result, resumed }) => {
        const registry = new DatasetRegistry(workspace);
        const stored = dataset === null ? null : await registry.get(dataset);
        const shown = stored === null ? null : await datasetView(stored);
        const bytes = result.files.reduce((sum, file) => sum + file.bytes, 0);
        const whole = { done: job.view.total, records: result.rows, bytes };
        this.end(job, { ...whole, state: 'done', result: shown, resumed: resumed || job.view.resumed });
        if (stored !== null) this.options.written();
      })
      .catch((thrown: unknown) => this.failed(job, thrown))
      .finally(() => this.next());
  }

  private failed(job: Job, thrown: unknown): void {
    const { code, message } = toFailure(thrown);
    if (code === 'cancelled') {
      this.end(job, { state: 'cancelled' });
      return;
    }
    this.end(job, { state: 'failed', error: { code, message } });
  }

  private end(job: Job, change: Partial<ExportJob>): void {
    job.running = null;
    this.change(job, { rate: null, secondsLeft: null, ...change });
  }

  private progress(job: Job, { done, total, records, bytes, skipped }: ExportProgress): void {
    if (isOver(job.view)) return;
    const now = this.options.clock.monotonic();
    const rate = job.view.state === 'running' ? job.meter.take(now, done - skipped) : null;
    const secondsLeft = rate === null || rate <= 0 ? null : Math.ceil((total - done) / rate);
    const news = { done, total, records, bytes, rate, secondsLeft, resumed: job.view.resumed || skipped > 0 };
    job.view = { ...job.view, ...news };
    if (now - job.toldAt < tellEveryMs) return;
    job.toldAt = now;
    this.options.tell({ ...job.view });
  }

  private change(job: Job, change: Partial<ExportJob>): void {
    job.view = { ...job.view, ...change };
    this.options.tell({ ...job.view });
  }

  private open(id: string): Job {
    const job = this.jobs.get(id);
    if (job === undefined) throw noJob(id);
    if (isOver(job.view)) throw over(job.view);
    return job;
  }
}

/** Events a second over the last few seconds. */
class RateMeter {
  private marks: { at: number; done: number }[] = [];

  take(at: number, done: number): number | null {
    this.marks.push({ at, done });
    while (this.marks.length > 2 && at - (this.marks[0]?.at ?? at) > 8_000) this.marks.shift();
    const first = this.marks[0];
    if (first === undefined || at - first.at < 500) return null;
    return ((done - first.done) * 1_000) / (at - first.at);
  }

  restart(): void {
    this.marks = [];
  }
}

function isOver({ state }: ExportJob): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}

function noJob(id: string): WaymarkError {
  return new WaymarkError(
    'not_found',
    'This export is not in the list any more: it was cancelled, or another process has taken it up. Start it again.',
    id,
  );
}

function over({ state, folder }: ExportJob): WaymarkError {
  const how = state === 'done' ? 'is finished' : state === 'failed' ? 'has failed' : 'was cancelled';
  return new WaymarkError('refused', `The export to ${folder} ${how}. Start it again if you need it.`);
}
