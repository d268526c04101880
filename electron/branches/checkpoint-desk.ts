import type { CheckpointSize, CheckpointView } from '@shared/contract/checkpoint-views';
import { WaymarkError } from '@shared/contract/errors';
import type { Author } from '@shared/log/annotations';
import { RunFold } from '@shared/runs/run-fold';
import { hasEnded } from '@shared/runs/run-status';
import { readCopySources } from '../checkpoint/copy-program';
import { WorkspaceCopies } from '../checkpoint/workspace-copies';
import { isHost } from '../computer/hosts';
import { remove } from '../files/remove';
import { checkpointsFolder } from '../files/workspace-paths';
import { keepUndriven } from '../runs/drive/keep-undriven';
import type { LiveEmitter } from '../runs/drive/live';
import type { RunLock } from '../runs/drive/run-holds';
import type { EngineOptions } from '../runs/engine-options';
import type { HostSessions } from '../runs/sessions/clean-sessions';
import { connect, disposeAll, reach } from '../runs/start/connect';
import { withCheckpointer } from './with-checkpointer';

export interface CheckpointDeskOptions {
  options: EngineOptions;
  live: LiveEmitter;
  /** Does work with the lock of a run that nobody drives, once a drive that has come to rest has let go. */
  undriven(run: string, work: (lock: RunLock) => Promise<void>): Promise<void>;
}

/** Checkpoints as people see and ask for them, whoever drives the run. */
export class CheckpointDesk {
  constructor(private readonly given: CheckpointDeskOptions) {}

  /** Oldest first. */
  list(run: string): Promise<CheckpointView[]> {
    return this.given.options.store.reader.checkpoints(run);
  }

  /**
   * Asks for one: the driver makes it after the step that runs. A run nobody drives is taken up for it.
   * @throws WaymarkError run_ended; refused before the first step, or when nobody drives the run and a step is not over;
   * ComputerUnavailable
   */
  async make(run: string, author: Author, note: string): Promise<void> {
    const { options, live, undriven } = this.given;
    const { store } = options;
    const { state, steps } = await store.reader.run(run);
    if (hasEnded(state)) {
      throw new WaymarkError(
        'run_ended',
        `Run ${run} has ended (${state}). Branch from its checkpoints instead.`,
      );
    }
    if (steps === 0) {
      throw new WaymarkError('refused', `Run ${run} has taken no step yet, so there is nothing to keep.`);
    }
    await store.writer.post(run, author, { op: 'run.checkpoint', note });
    await undriven(run, (lock) => keepUndriven({ options, live, run, lock }));
  }

  /**
   * For a run that was removed: takes its checkpoints away here and on `hosts`, unless a branch was made from them. When
   * the last branch of a parent that is gone goes, so do the parent's. @throws ComputerUnavailable; WaymarkError refused
   */
  async remove(run: string, parent: string | null, hosts: readonly HostSessions[]): Promise<void> {
    const left = await this.given.options.store.reader.runs();
    const isNeeded = (id: string) => left.some((each) => each.id === id || each.parent?.run === id);
    if (!isNeeded(run)) await this.discard(run, hosts);
    if (parent !== null && !isNeeded(parent)) await this.discard(parent, hosts);
  }

  private async discard(run: string, hosts: readonly HostSessions[]): Promise<void> {
    const { options } = this.given;
    const localBase = checkpointsFolder(options.store.folder, run);
    await remove(options.store.folder, ['checkpoints', run], { kind: 'folder' });
    const sources = await readCopySources(options.resourcesDir);
    const all = connect(
      options,
      run,
      hosts.map(({ place }) => place),
    );
    try {
      for (const computer of all.values()) {
        const copies = new WorkspaceCopies({ computer, run, localBase, sources });
        if (isHost(computer)) await reach(options.hosts, computer);
        await copies.remove(new AbortController().signal);
      }
    } finally {
      await disposeAll(all);
    }
  }

  /** What one would copy now; looks at the workspace. @throws WaymarkError not_found, refused; ComputerUnavailable */
  async size(run: string): Promise<CheckpointSize> {
    const { options } = this.given;
    const [first] = await options.store.reader.events(run, 1, 1);
    if (first?.kind !== 'run.created') {
      throw new WaymarkError('not_found', `There is no run ${run} in this workspace.`);
    }
    const looked = { run, created: first.body, fold: new RunFold() };
    return withCheckpointer(options, looked, (checkpointer, signal) => checkpointer.size(signal));
  }
}
