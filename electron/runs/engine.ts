import { WaymarkError } from '@shared/contract/errors';
import type { Endpoint } from '@shared/contract/settings';
import type { RunningCommand, RunState } from '@shared/contract/views';
import type { Author } from '@shared/log/annotations';
import type { HintCategory, LimitsChange } from '@shared/log/outbox';
import { hasEnded } from '@shared/runs/run-status';
import { newUlid } from '../base/new-ulid';
import { BranchDesk } from '../branches/branch-run';
import { CheckpointDesk } from '../branches/checkpoint-desk';
import { findIsolation } from '../computer/local/sandbox/bubblewrap';
import { makeFoldersIn } from '../files/private';
import { runFolder } from '../files/workspace-paths';
import { requirePackage } from '../task/add';
import { parseSpec } from '../task/stored-spec';
import { settleUndriven } from './drive/keep-undriven';
import { LiveEmitter } from './drive/live';
import { refuseImport } from './drive/load-run';
import { Rehearsals } from './drive/rehearse';
import { type DrivenRun, takeUp } from './drive/run';
import { RunHolds, type RunLock } from './drive/run-holds';
import { runningCommands, runningHere } from './drive/running-commands';
import type { EngineOptions } from './engine-options';
import { type Cleaned, cleanHosts, cleanLocal, type HostSessions } from './sessions/clean-sessions';
import { appendNewRun } from './start/append-new-run';
import { connect, disposeAll } from './start/connect';
import {
  creationEvents,
  type NewRun,
  refuseMissingHint,
  refuseTightTokens,
  refuseUnsupported,
} from './start/create-run';
import { layGround } from './start/ground';
import { isolatePlaces, refuseHoles, refuseUnasked } from './start/isolate';
import { choosePlaces } from './start/places';
import { askForLimits, askForModel, creationOf, refuseWithoutPrice } from './steer/change-run';
import { HintDesk } from './steer/hint-desk';

/** How long a quitting application waits for an action to end before it interrupts it, ms. */
const QUIT_GRACE_MS = 15_000;
/** How often to look whether another process still drives a run, ms. */
const LOOK_MS = 100;

export interface StartRun extends NewRun {
  author: Author;
}

/** `over`: this process has let go; `settled`: a stop that it missed is carried out as well. Neither rejects. */
type DrivenHere = DrivenRun & { over: Promise<void>; settled: Promise<void> };

/** Which runs keep their sessions: a set, or a question. */
type Alive = Pick<ReadonlySet<string>, 'has'>;

/**
 * Starts, drives and steers the runs of one workspace. Everything a human asks for goes through the outbox, so it
 * works the same for a run that another process drives.
 */
export interface Engine {
  /** What driven runs do right now; never stored. */
  readonly live: LiveEmitter;
  /** Hints of all runs, whoever drives them. */
  readonly hints: HintDesk;
  /** Drafts of hints, tried out. */
  readonly rehearsals: Rehearsals;
  readonly checkpoints: CheckpointDesk;
  readonly branches: BranchDesk;
  /**
   * Creates a run; it rests until `resumeRun`. Its hosts must be reachable now: GPUs, folders and whether they share the
   * workspace are found out first, and nothing is created when they are not as the task asks.
   * @throws WaymarkError not_found, bad_input, task_invalid, task_unsupported, refused, not_isolated; ComputerUnavailable
   */
  startRun(input: StartRun): Promise<string>;
  /**
   * Drives the run in the background from where it stands; resolves once this process drives it. Does nothing when
   * it does already; a drive that has come to rest is waited for until it has let go.
   * `agreed`: a person was asked whether it may go on without isolation, and said yes.
   * @throws WaymarkError not_found, run_ended, run_driven_elsewhere, refused (a run whose import is not finished), not_isolated
   */
  resumeRun(run: string, agreed?: boolean): Promise<void>;
  /** @throws WaymarkError not_isolated: somebody must be asked before the run goes on */
  refuseUnasked(run: string): Promise<void>;
  /** Resolves when whoever drove the run to its rest, here or elsewhere, has let go, or at once while somebody drives it. */
  untilLetGo(run: string): Promise<void>;
  /** Resolves when the run rests: paused, ended, or no process drives it. */
  waitRun(run: string): Promise<void>;
  /** @throws WaymarkError run_ended */
  pause(run: string, author: Author, mode: 'after_step' | 'now'): Promise<void>;
  stop(run: string, author: Author): Promise<void>;
  /**
   * Later steps ask this endpoint's model; recorded at the next step boundary, or when the run is resumed.
   * @throws WaymarkError run_ended, refused (a limit on money, and no price)
   */
  setModel(run: string, author: Author, endpoint: Endpoint): Promise<void>;
  /** Other limits from the next step boundary on. @throws WaymarkError run_ended, bad_input, refused */
  setLimits(run: string, author: Author, limits: LimitsChange): Promise<void>;
  /** What goes on by itself if the run is paused or stopped now. Never throws for a host that is away. */
  running(run: string): Promise<RunningCommand[]>;
  /** Ends a sleep; nothing else. */
  wake(run: string, author: Author): Promise<void>;
  /** A hint for the next step: `hints.queue`, with the id for an answer. */
  hint(run: string, author: Author, text: string, category: HintCategory): Promise<string>;
  /** Runs that this process drives. */
  drivenRuns(): string[];
  /**
   * Closes the sessions of runs that `alive` does not have, here and on `hosts` (those of runs, by `hostsOf`). Returns how
   * many, the folders here that nobody needs any more, and what could not be reached.
   */
  cleanSessions(alive: Alive, hosts?: readonly HostSessions[]): Promise<Cleaned>;
  /**
   * Pauses every driven run and waits until all are let go of. `pause`: a request to a model is given up and asked
   * again on resume, an action may end within 15 s; `now`: an action is interrupted as well. What a full disk or a lock
   * refuses is waited for as long, and then left to the next driver.
   */
  shutdown(options: { mode: 'pause' | 'now'; why?: string }): Promise<void>;
}

export function createEngine(options: EngineOptions): Engine {
  return new RunEngine(options);
}

class RunEngine implements Engine {
  readonly live: LiveEmitter;
  readonly hints: HintDesk;
  readonly rehearsals: Rehearsals;
  readonly checkpoints: CheckpointDesk;
  readonly branches: BranchDesk;
  private readonly driven = new Map<string, DrivenHere>();
  private readonly holds: RunHolds;
  /** Where a run's outbox stood when it was to be resumed: what is asked for later is asked of that drive. */
  private readonly heads = new Map<string, Promise<number>>();
  private readonly closing = new AbortController();

  constructor(private readonly options: EngineOptions) {
    this.live = new LiveEmitter(({ run, kind }, thrown) =>
      options.log.error('A listener of live frames threw', { run, kind, error: stackOf(thrown) }),
    );
    this.hints = new HintDesk(options.store);
    this.rehearsals = new Rehearsals(options);
    const { live } = this;
    this.holds = new RunHolds(options.store, options.clock, this.closing.signal);
    this.checkpoints = new CheckpointDesk({ options, live, undriven: (...args) => this.undriven(...args) });
    this.branches = new BranchDesk({ options, cleanSessions: (...args) => this.cleanSessions(...args) });
  }

  async startRun(input: StartRun): Promise<string> {
    const { store, resourcesDir } = this.options;
    const task = await store.reader.task(input.task);
    const spec = parseSpec(task.spec, task.title);
    requirePackage(store.folder, task);
    refuseTightTokens(input);
    if (input.maxCost != null) refuseWithoutPrice(this.options.settings.current, input.endpoint.name);
    const { hosts, settings } = this.options;
    const chosen = await choosePlaces({
      spec,
      hosts,
      approvals: input.approvals,
      chosen: input.computers ?? {},
      chosenApprovals: input.computerApprovals,
      known: settings.current.computers,
    });
    refuseUnsupported(spec, chosen);
    refuseMissingHint(spec, input);
    const run = newUlid();
    makeFoldersIn(store.folder, 'runs');
    const places = await isolatePlaces(input, {
      spec,
      places: chosen,
      workspace: store.folder,
      run,
      findIsolation: this.options.findIsolation ?? findIsolation,
    });
    const computers = connect(this.options, run, places);
    try {
      const folder = runFolder(store.folder, run);
      const ground = await layGround({ run, folder, spec, computers, hosts });
      const events = await creationEvents(input, {
        run,
        task,
        spec,
        places,
        ground,
        resourcesDir,
        workspace: store.folder,
      });
      await appendNewRun(store, run, events);
    } finally {
      await disposeAll(computers);
    }
    return run;
  }

  /** Two at once give one drive: the second finds the first one's. */
  async resumeRun(run: string, agreed = false): Promise<void> {
    const { driveApart, store } = this.options;
    // The turn is taken before anything is read: who pauses from here on finds the run held, and is heard.
    const head = store.reader.outboxHead(run);
    this.heads.set(run, head);
    // It may fail before its turn has come; whoever waits for it is told.
    head.catch(() => undefined);
    await this.holds.inTurn(run, async () => {
      const before = await head.finally(() => this.forgetHead(run, head));
      // A run that is not here gets no lock, no log and no process.
      refuseImport(run, (await store.reader.run(run)).state);
      if (await this.drives(run)) return;
      if (!agreed) await this.refuseUnasked(run);
      if (driveApart === undefined) return this.takeOver(run, before);
      await this.holds.untilFree(run);
      if (!store.isDriven(run)) await driveApart(run, agreed);
    });
  }

  private forgetHead(run: string, head: Promise<number>): void {
    if (this.heads.get(run) === head) this.heads.delete(run);
  }

  async refuseUnasked(run: string): Promise<void> {
    refuseUnasked((await creationOf(this.options.store, run)).computers);
  }

  async untilLetGo(run: string): Promise<void> {
    if (!(await this.drives(run))) await this.holds.untilFree(run);
  }

  private async takeOver(run: string, before: number): Promise<void> {
    if (this.closing.signal.aborted) {
      throw new WaymarkError('refused', 'The application is closing. Open it again to drive runs.');
    }
    const { store } = this.options;
    await refuseHoles(store.folder, run, (await creationOf(store, run)).computers);
    const lock = await this.lock(run);
    const { options, live } = this;
    try {
      const driven = await takeUp({ options, live, run, lock }, before);
      const over = driven.ended.then(() => void this.driven.delete(run));
      this.driven.set(run, { ...driven, over, settled: over.then(() => this.heedMissedStop(driven)) });
      if (this.closing.signal.aborted) {
        driven.control.quit('now');
      }
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Whether this process drives the run. One that has come to rest is waited for until it has let go. */
  private async drives(run: string): Promise<boolean> {
    const driven = this.driven.get(run);
    if (driven === undefined) return false;
    if (!(await driven.isResting())) return true;
    await driven.over;
    return false;
  }

  /**
   * A stop that came when the drive had looked at its requests for the last time. Who asked found the lock held, so nobody else
   * would act on it.
   */
  private async heedMissedStop({ run, missedStop }: DrivenRun): Promise<void> {
    const { options, live } = this;
    try {
      if (!(await missedStop())) return;
      await this.undriven(run, (lock) => settleUndriven({ options, live, run, lock }));
    } catch (error) {
      // The request stays in the outbox: whoever takes the run up next acts on it.
      options.log.error('A stop could not be carried out', { run, error: String(error) });
    }
  }

  /** Does nothing while somebody drives the run: the driver hears of requests through the outbox. */
  private undriven(run: string, work: (lock: RunLock) => Promise<void>): Promise<void> {
    return this.holds.inTurn(run, async () => {
      const lock = (await this.drives(run)) ? null : await this.holds.lock(run);
      if (lock === null) return;
      try {
        await work(lock);
      } finally {
        lock.release();
      }
    });
  }

  async waitRun(run: string): Promise<void> {
    const driven = this.driven.get(run);
    if (driven !== undefined) {
      await driven.settled;
      return;
    }
    const { store, clock } = this.options;
    const { signal } = this.closing;
    await store.reader.run(run);
    // A driver that is killed commits nothing: its end is found by looking only.
    while (store.isDriven(run) && !signal.aborted) {
      await clock.sleep(LOOK_MS, signal).catch(() => undefined);
    }
  }

  async pause(run: string, author: Author, mode: 'after_step' | 'now'): Promise<void> {
    await this.steer(run, author, { op: 'run.pause', mode });
  }

  async stop(run: string, author: Author): Promise<void> {
    await this.steer(run, author, { op: 'run.stop' });
  }

  async wake(run: string, author: Author): Promise<void> {
    await this.refuseEnded(run);
    await this.options.store.writer.post(run, author, { op: 'run.wake' });
  }

  async setModel(run: string, author: Author, endpoint: Endpoint): Promise<void> {
    await this.refuseEnded(run);
    await askForModel(this.changing(), run, author, endpoint);
  }

  async setLimits(run: string, author: Author, limits: LimitsChange): Promise<void> {
    await this.refuseEnded(run);
    await askForLimits(this.changing(), run, author, limits);
  }

  async running(run: string): Promise<RunningCommand[]> {
    const { reader } = this.options.store;
    const { computers: places } = await reader.run(run);
    const driven = this.driven.get(run);
    if (driven === undefined && !this.options.store.isDriven(run))
      return runningHere(this.options, run, places);
    return runningCommands({ reader, run, places, computers: driven?.computers() ?? new Map() });
  }

  async hint(run: string, author: Author, text: string, category: HintCategory): Promise<string> {
    return (await this.hints.queue(run, author, { text, category })).id;
  }

  drivenRuns(): string[] {
    return [...this.driven.keys()];
  }

  async cleanSessions(alive: Alive, hosts: readonly HostSessions[] = []): Promise<Cleaned> {
    const here = await cleanLocal(this.options, alive);
    const there = await cleanHosts(
      this.options.hosts,
      hosts.filter(({ run }) => !alive.has(run)),
    );
    return { ...here, closed: here.closed + there.closed, notReached: there.notReached };
  }

  async shutdown({ mode, why }: { mode: 'pause' | 'now'; why?: string }): Promise<void> {
    this.closing.abort(new Error('The application is closing.'));
    this.rehearsals.cancelAll();
    const runs = [...this.driven.values()];
    for (const { control } of runs) {
      control.quit(mode === 'pause' ? 'after_step' : 'now', why);
    }
    const timer = setTimeout(() => {
      for (const { control, stopWaiting } of runs) {
        control.quit('now', why);
        stopWaiting();
      }
    }, this.options.quitGraceMs ?? QUIT_GRACE_MS);
    await Promise.all(runs.map(({ settled }) => settled));
    clearTimeout(timer);
  }

  /** A run that nobody drives is put to rest at once; otherwise its driver hears of it through the outbox. */
  private async steer(
    run: string,
    author: Author,
    op: { op: 'run.pause'; mode: 'after_step' | 'now' } | { op: 'run.stop' },
  ): Promise<void> {
    const state = await this.refuseEnded(run);
    const { store } = this.options;
    // Whoever holds a paused run may be taking it up.
    if (op.op === 'run.pause' && state === 'paused' && !this.holds.isHeld(run)) {
      return;
    }
    await this.heads.get(run);
    await store.writer.post(run, author, op);
    try {
      const { options, live } = this;
      await this.undriven(run, (lock) => settleUndriven({ options, live, run, lock }));
    } catch (error) {
      // Its driver heard of the request and brought it to its end meanwhile.
      if (!(error instanceof WaymarkError && error.code === 'run_ended')) throw error;
    }
  }

  private changing() {
    return { store: this.options.store, settings: this.options.settings.current };
  }

  private async refuseEnded(run: string): Promise<RunState> {
    const { state } = await this.options.store.reader.run(run);
    if (hasEnded(state)) {
      throw new WaymarkError('run_ended', `Run ${run} has ended (${state}).`);
    }
    refuseImport(run, state);
    return state;
  }

  private async lock(run: string): Promise<RunLock> {
    const lock = await this.holds.lock(run);
    if (lock === null) {
      throw new WaymarkError('run_driven_elsewhere', `Run ${run} is already driven by another process.`);
    }
    return lock;
  }
}

function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
