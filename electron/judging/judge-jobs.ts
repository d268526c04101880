import { type Failure, toFailure, WaymarkError } from '@shared/contract/errors';
import type { JudgeRequest } from '@shared/contract/ipc/judging';
import type { JudgeBatchView, JudgeEstimate } from '@shared/contract/judge-views';
import type { KeptRubric, RubricView } from '@shared/contract/rubric-views';
import type { Endpoint } from '@shared/contract/settings';
import { type BatchChoices, rubricsOf } from '@shared/judging/batch';
import type { RubricKind } from '@shared/judging/rubric-text';
import type { RubricTrial } from '@shared/judging/rubric-trial';
import type { Author } from '@shared/log/annotations';
import type { ModelRef } from '@shared/log/event-parts';
import { visibleText } from '@shared/terminal/visible-text';
import { newUlid } from '../base/new-ulid';
import { originOf } from '../model/bound-key';
import type { EngineOptions } from '../runs/engine-options';
import type { Store } from '../store/api';
import type { HeldBatch } from '../store/log/judge-batches';
import { asking, isDone, refusePersonsName, refuseUnpriced, UNLIMITED } from './asking';
import { type DriveBatchApart, workApart } from './batch-apart';
import { batchView, hiddenBatches, isRunHidden } from './batch-views';
import type { KeepRequest } from './kept-rubric';
import { type Counted, OpenCounts } from './open-counts';
import type { RequestedBatch } from './requested-batch';
import { standing } from './standing-batches';
import { UnstoredEnds } from './unstored-ends';

export interface JudgeJobsOptions
  extends Pick<EngineOptions, 'settings' | 'findKey' | 'addresses' | 'isKeyLocked' | 'resourcesDir' | 'log'> {
  store: Store;
  /** Batches are worked on by processes of their own, which live on without this one. Absent: this process works on them. */
  driveApart?: DriveBatchApart | undefined;
  /** How long a closing workspace waits for answers that are paid for, ms; default 3 s. */
  graceMs?: number | undefined;
}

const GRACE_MS = 3_000;
/** Batches that are listed. */
const MOST = 100;

/** A batch that this process asks for. */
interface Job {
  judge: string;
  /** Votes it is about, those that are there already included. */
  total: number | null;
  /** Sends nothing more. */
  stopping: AbortController;
  /** Gives up what is under way. */
  giveUp: AbortController;
  done: Promise<void>;
}

interface Ready {
  id: string;
  choices: BatchChoices;
  price: Endpoint['price'];
  /** Null: not counted. */
  total: number | null;
  begin(held: HeldBatch): Promise<void>;
}

/** Batches of judges that a window asks for, in the background of the process that has the workspace open, or of others. */
export class JudgeJobs {
  private readonly jobs = new Map<string, Job>();
  /** Batches that are written down, or about to be, and that nobody works on yet. */
  private readonly starting = new Map<string, Promise<void>>();
  /** Names of judges that are about to be asked. */
  private readonly beginning = new Set<string>();
  private readonly listeners = new Set<() => void>();
  private readonly counts: OpenCounts;
  private closing = false;
  private readonly unstored: UnstoredEnds;

  constructor(private readonly options: JudgeJobsOptions) {
    this.counts = new OpenCounts(options.store);
    this.unstored = new UnstoredEnds(options.store);
  }

  /** Hears that a batch began, is to stop, or has ended here. */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** What `start` with the same would send. @throws WaymarkError not_found, bad_input, refused; cancelled by a newer question */
  async estimate(request: JudgeRequest, viewer: Author): Promise<{ judges: JudgeEstimate[] }> {
    const asked = await this.requested(request, viewer);
    const found = await this.counts.newest(asked.map(({ choices }) => choices));
    const judges = asked.map(({ choices, endpoint }, at) => {
      const { open: _, ...counted } = found[at] as Counted;
      const { judge } = choices;
      return { judge, rubrics: rubricsOf(choices), ...counted, obstacle: this.obstacle(judge, endpoint) };
    });
    return { judges };
  }

  /**
   * Begins a batch for each judge that has something left to judge; resolves with their ids once they are stored and worked on. None
   * is begun where one of the judges cannot be asked. @throws WaymarkError not_found, bad_input, refused, read_only,
   * model_key_missing; why a process of its own could not work on one
   */
  async start(request: JudgeRequest, viewer: Author): Promise<string[]> {
    const asked = await this.requested(request, viewer);
    const names = asked.map(({ choices }) => choices.judge);
    await refusePersonsName(this.options.store, names, viewer);
    for (const { choices, endpoint } of asked) this.refuse(choices.judge, endpoint);
    const begun: string[] = [];
    await this.holding(names, async () => {
      for (const { choices, endpoint } of asked) {
        const open = await this.counts.open(choices);
        if (open === 0) continue;
        const id = newUlid();
        const counted = { ...choices, total: open };
        const begin = (held: HeldBatch) => this.options.store.writer.beginBatch(held, counted);
        await this.drive({ id, choices, price: endpoint.price, total: open, begin });
        begun.push(id);
      }
    });
    if (begun.length === 0)
      throw new WaymarkError(
        'refused',
        `There is nothing left for ${names.join(' and ')} to judge in these runs.`,
      );
    return begun;
  }

  /** What the steps or summaries of a task's runs are judged by. @throws WaymarkError workspace_corrupt */
  async rubricOf(task: string, kind: RubricKind): Promise<RubricView> {
    const { readRubricView } = await import('./kept-rubric');
    return readRubricView(this.options.store, this.options.resourcesDir, task, kind);
  }

  /** As `keepRubric`. @throws WaymarkError bad_input, conflict, read_only */
  async keepRubric(request: KeepRequest, author: Author): Promise<KeptRubric> {
    const { keepRubric } = await import('./kept-rubric');
    return keepRubric(this.options.store, this.options.resourcesDir, request, author);
  }

  /** What a judge's tried verdicts by this text change in a run. @throws WaymarkError not_found, bad_input, refused */
  async trial(run: string, judge: string, text: string, viewer: Author): Promise<RubricTrial> {
    if (await isRunHidden(this.options.store.reader, run, viewer))
      throw new WaymarkError(
        'refused',
        'You review steps of this run blind, and what a judge says of them is hidden until you have decided them.',
      );
    const { store, resourcesDir } = this.options;
    const [{ checkedRubric, rubricsWith }, { readTrial }] = await Promise.all([
      import('./rubric'),
      import('./kept-rubric'),
    ]);
    const { steps } = await rubricsWith(resourcesDir, checkedRubric(text));
    return readTrial(store, run, judge, steps.version);
  }

  /**
   * Goes on where a batch stood, whoever began it. The workspace may be somebody else's, so it is asked only where the settings
   * have its endpoint. @throws WaymarkError as `start`; endpoint_differs, not_found
   */
  async resume(id: string, maxCost: number | null): Promise<void> {
    const { store, driveApart } = this.options;
    const stored = await store.reader.judgeBatch(id);
    const { choices, counts } = stored;
    const endpoint = this.ownEndpoint(choices.model);
    if (isDone(stored)) return;
    refuseUnpriced(maxCost ?? choices.maxCost, endpoint.price, endpoint.name, UNLIMITED);
    this.refuse(choices.judge, endpoint);
    await this.holding([choices.judge], async () =>
      this.drive({
        id,
        choices,
        price: endpoint.price,
        total: driveApart === undefined ? counts.votes + (await this.counts.open(choices)) : null,
        begin: (held) => store.writer.resumeBatch(held, maxCost),
      }),
    );
  }

  /**
   * Whichever process works on the batch sends nothing more, and stores what is under way when it is answered. Nothing happens where
   * nobody works on it. @throws WaymarkError not_found, read_only
   */
  async stop(id: string): Promise<void> {
    // Whoever starts it hears why that failed.
    await this.starting.get(id)?.catch(() => undefined);
    const job = this.jobs.get(id);
    if (job === undefined) {
      const { store } = this.options;
      const { end, choices } = await store.reader.judgeBatch(id);
      if (end !== null || !store.isAsked(choices.judge)) return;
      await store.writer.stopBatch(id);
    } else job.stopping.abort();
    this.tell();
  }

  /** The newest batches as this person may know them, the newest first. */
  async list(viewer: Author): Promise<JudgeBatchView[]> {
    const { store } = this.options;
    const batches = await store.reader.judgeBatches(MOST);
    const hidden = await hiddenBatches(store.reader, viewer, batches);
    const found = await standing({ reader: store.reader, isAsked: (judge) => store.isAsked(judge) }, batches);
    const views: JudgeBatchView[] = [];
    for (const { batch, isHeld: isLocked } of found) {
      const isHeld = isLocked || this.starting.has(batch.id);
      const told = await this.unstored.ended(batch, isHeld);
      const job = this.jobs.get(batch.id);
      const here = job === undefined ? null : { total: job.total, isStopping: job.stopping.signal.aborted };
      views.push(batchView(told, { isHeld, here, isHidden: hidden.has(batch.id) }));
    }
    return views;
  }

  /** Every run that the batch is about. @throws WaymarkError not_found */
  async runsOf(batch: string): Promise<readonly string[]> {
    return (await this.options.store.reader.judgeBatch(batch)).choices.runs;
  }

  /** Ends what is asked for; what this cuts short is `interrupted` and can be resumed. */
  async close(): Promise<void> {
    this.closing = true;
    this.counts.close();
    const jobs = [...this.jobs.values()];
    for (const { stopping } of jobs) stopping.abort();
    const late = setTimeout(() => {
      for (const { giveUp } of jobs) giveUp.abort();
    }, this.options.graceMs ?? GRACE_MS);
    await Promise.all(jobs.map(({ done }) => done));
    clearTimeout(late);
  }

  /** @throws WaymarkError what stands in the way */
  private refuse(judge: string, endpoint: Endpoint): void {
    const obstacle = this.obstacle(judge, endpoint);
    if (obstacle !== null) throw new WaymarkError(obstacle.code, obstacle.message);
  }

  /** Nobody else in this process begins to ask these judges meanwhile. */
  private async holding(judges: readonly string[], work: () => Promise<void>): Promise<void> {
    for (const judge of judges) this.beginning.add(judge);
    try {
      await work();
    } finally {
      for (const judge of judges) this.beginning.delete(judge);
    }
  }

  private async drive(ready: Ready): Promise<void> {
    if (this.closing) throw new WaymarkError('cancelled', 'The workspace is being closed. Nothing was sent.');
    const { driveApart } = this.options;
    const started = driveApart === undefined ? this.driveHere(ready) : this.driveApart(ready, driveApart);
    this.starting.set(ready.id, started);
    try {
      await started;
    } finally {
      this.starting.delete(ready.id);
      this.tell();
    }
  }

  /** Written down by this process, so that the batch is there whatever becomes of the one that is to work on it. */
  private async driveApart({ id, choices, price, begin }: Ready, drive: DriveBatchApart): Promise<void> {
    const { store } = this.options;
    const { judge } = choices;
    const lock = this.locked(judge);
    const held = { id, epoch: lock.epoch };
    try {
      await begin(held);
    } finally {
      lock.release();
    }
    const { reader, writer } = store;
    await workApart({ reader, writer, isAsked: () => store.isAsked(judge) }, held, price, drive);
  }

  private async driveHere({ id, choices, price, total, begin }: Ready): Promise<void> {
    const { store, log } = this.options;
    const { judge, model } = choices;
    const lock = this.locked(judge);
    const held = { id, epoch: lock.epoch };
    try {
      const [{ driveBatch }, { modelPort }] = await Promise.all([
        import('./named-batch'),
        import('../runs/drive/model-port'),
      ]);
      await begin(held);
      const stopping = new AbortController();
      const giveUp = new AbortController();
      const done = driveBatch(store, held, {
        price,
        stopping: stopping.signal,
        signal: giveUp.signal,
        isLeaving: () => this.closing,
        onUnstored: (end) => this.unstored.keep(held, end),
        model: modelPort(this.options, () => model),
        ...asking,
      })
        .then(
          () => undefined,
          (thrown) => log.error(`The batch ${id} of ${judge} could not go on`, { error: String(thrown) }),
        )
        .then(() => {
          this.jobs.delete(id);
          lock.release();
          this.tell();
        });
      this.jobs.set(id, { judge, total, stopping, giveUp, done });
      // It was closed while the batch began.
      if (this.closing) stopping.abort();
    } catch (thrown) {
      lock.release();
      throw thrown;
    }
  }

  /** @throws WaymarkError refused, read_only */
  private locked(judge: string): { epoch: number; release(): void } {
    const lock = this.options.store.lockJudge(judge);
    if (lock === null) throw askedAlready(judge);
    return lock;
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }

  private async requested(request: JudgeRequest, viewer: Author): Promise<RequestedBatch[]> {
    const { settings, resourcesDir, store } = this.options;
    if (request.steps === 'undecided' || request.steps === 'disagreeing')
      await this.refuseBlind(request.runs, viewer);
    const { requestedBatches } = await import('./requested-batch');
    return requestedBatches(store, { settings: settings.current, resourcesDir }, request);
  }

  private obstacle(judge: string, { name, baseUrl, keyEnv }: Endpoint): Failure | null {
    const { store, findKey, isKeyLocked } = this.options;
    if (store.isReadOnly)
      return { code: 'read_only', message: 'This workspace is read-only: votes cannot be stored.' };
    const isBusy = this.beginning.has(judge) || [...this.jobs.values()].some((job) => job.judge === judge);
    if (isBusy || store.isAsked(judge)) return toFailure(askedAlready(judge));
    const key = findKey(name, keyEnv, originOf(baseUrl));
    if (key === null && isKeyLocked?.(name) === true)
      return {
        code: 'model_key_missing',
        message: `The key for ${name} is locked. Unlock your keys in Settings.`,
      };
    if (key === null && keyEnv !== '')
      return {
        code: 'model_key_missing',
        message: `The key for ${name} is missing: the environment variable ${keyEnv} is not set, and no key is kept under this name.`,
      };
    return null;
  }

  private ownEndpoint(model: ModelRef): Endpoint {
    const origin = originOf(model.baseUrl);
    const own = this.options.settings.current.endpoints.find(
      (each) =>
        each.name === model.endpoint &&
        each.model === model.model &&
        originOf(each.baseUrl) === origin &&
        each.keyEnv === (model.keyRef ?? ''),
    );
    if (own !== undefined && origin !== '') return own;
    const shown = visibleText(`${model.model.slice(0, 80)} at ${origin || 'no address'}`).replace(
      /\s+/gu,
      ' ',
    );
    throw new WaymarkError(
      'endpoint_differs',
      `This batch asks ${shown}, which is not an endpoint of your settings. Nothing was sent. Add it in Settings, Models, or begin a new batch.`,
    );
  }

  /** Which steps are undecided, or disagreed about, tells what others said. */
  private async refuseBlind(runs: readonly string[], viewer: Author): Promise<void> {
    for (const run of runs) {
      if (!(await isRunHidden(this.options.store.reader, run, viewer))) continue;
      throw new WaymarkError(
        'refused',
        'You review steps of these runs blind, and this choice would tell what others said about them. Ask about all steps.',
      );
    }
  }
}

function askedAlready(judge: string): WaymarkError {
  return new WaymarkError(
    'refused',
    `${judge} is being asked about this workspace already. Wait until that has ended, or ask under another name.`,
  );
}
