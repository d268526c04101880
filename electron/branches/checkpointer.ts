import type { CheckpointSize } from '@shared/contract/checkpoint-views';
import { WaymarkError } from '@shared/contract/errors';
import { type TaskSpec, workspaceHolder } from '@shared/contract/task';
import type { EventBody, NewEvent } from '@shared/log/events';
import { type RunFold, spentBy } from '@shared/runs/run-fold';
import type { CheckpointPort } from '../agent/ports';
import { newUlid } from '../base/new-ulid';
import { type CopyAnswer, noteSentence } from '../checkpoint/copy-answer';
import { readCopySources } from '../checkpoint/copy-program';
import { alwaysExcluded, excludedExpression } from '../checkpoint/excluded-paths';
import { sessionDirectories } from '../checkpoint/session-directories';
import { WorkspaceCopies } from '../checkpoint/workspace-copies';
import { ComputerUnavailable } from '../computer/failures';
import type { Computer } from '../computer/port';
import { checkpointsFolder, spoolFolder } from '../files/workspace-paths';
import { runningCommands } from '../runs/drive/running-commands';
import type { EngineOptions } from '../runs/engine-options';

type Made = EventBody<'checkpoint.made'>;
type Order = Parameters<CheckpointPort['make']>[0];

export interface CheckpointerOptions {
  options: EngineOptions;
  run: string;
  created: EventBody<'run.created'>;
  spec: TaskSpec;
  fold: RunFold;
  /** Those that actions may name. */
  computers: ReadonlyMap<string, Computer>;
}

/** Makes the checkpoints of one run: the workspace where it lies, everything else from the log and the sessions. */
export class Checkpointer {
  /** Of the checkpoint that is being made: asked again after a broken link, it is the same one. */
  private id: { step: number; why: string; id: string } | null = null;

  constructor(private readonly given: CheckpointerOptions) {}

  /** @throws ComputerUnavailable; WaymarkError cancelled */
  async make(order: Order, signal: AbortSignal): Promise<NewEvent> {
    const { options, fold } = this.given;
    const { clock } = options;
    const startedAt = clock.monotonic();
    if (this.id?.step !== order.step || this.id.why !== order.why) {
      this.id = { step: order.step, why: order.why, id: newUlid() };
    }
    const sessions = await this.sessions(signal);
    const { workspace, message } = await this.workspace(this.id.id, signal);
    const body: Made = {
      checkpoint: this.id.id,
      ...order,
      spent: spentBy(fold, clock.now()),
      workspace,
      sessions,
      durationMs: Math.max(0, Math.round(clock.monotonic() - startedAt)),
      message,
    };
    this.id = null;
    return { kind: 'checkpoint.made', body };
  }

  /** What one would copy now. @throws ComputerUnavailable; WaymarkError refused */
  async size(signal: AbortSignal): Promise<CheckpointSize> {
    const { copies, exclude, previous, root } = await this.place();
    const { files, bytes, newFiles, newBytes, free } = await copies.size(
      { root, previous, exclude: excludedExpression(exclude) },
      signal,
    );
    return { files, bytes, newFiles, newBytes, excluded: exclude, freeBytes: free };
  }

  private async workspace(id: string, signal: AbortSignal): Promise<Pick<Made, 'workspace' | 'message'>> {
    const { computer, copies, exclude, previous, keep, root } = await this.place();
    try {
      const order = { root, previous, keep, id, exclude: excludedExpression(exclude) };
      const answer = await copies.copy(order, signal);
      if (answer.status === 'full') {
        return { workspace: null, message: fullMessage(computer, answer) };
      }
      const { files, bytes, newFiles, newBytes, folder } = answer;
      const copied = { computer, root, folder, files, bytes, newFiles, newBytes, excluded: exclude };
      return { workspace: copied, message: noteSentence(answer) };
    } catch (error) {
      if (error instanceof ComputerUnavailable || signal.aborted || !(error instanceof WaymarkError)) {
        throw error;
      }
      return { workspace: null, message: error.message };
    }
  }

  private async place() {
    const { options, run, created, spec, computers } = this.given;
    const holder = workspaceHolder(spec).name;
    const computer = computers.get(holder);
    if (computer === undefined) {
      throw new WaymarkError('task_unsupported', `The log of this run does not say where ${holder} is.`);
    }
    const kept = (await options.store.reader.checkpoints(run))
      .filter(({ workspace }) => workspace !== null)
      .map(({ checkpoint }) => checkpoint);
    return {
      computer: holder,
      root: created.workspaceRoot,
      copies: new WorkspaceCopies({
        computer,
        run,
        localBase: checkpointsFolder(options.store.folder, run),
        sources: await readCopySources(options.resourcesDir),
      }),
      exclude: [...alwaysExcluded, ...spec.checkpoints.exclude],
      previous: kept.at(-1) ?? '',
      keep: kept,
    };
  }

  /** Sessions as they are now. @throws ComputerUnavailable */
  private async sessions(signal: AbortSignal): Promise<Made['sessions']> {
    const { options, run, created, spec, fold, computers } = this.given;
    const { reader } = options.store;
    const known = (await reader.sessions(run)).filter(({ uid }) => fold.sessions.has(uid));
    const running = await runningCommands({ reader, run, places: created.computers, computers });
    const found: Made['sessions'] = [];
    for (const [name, computer] of computers) {
      const here = known.filter((session) => session.computer === name);
      if (here.length === 0) continue;
      const directories = await sessionDirectories(computer, spoolFolder(options.sessionsDir, run), signal);
      const env = spec.computers.find((each) => each.name === name)?.setup.variables ?? {};
      for (const { session, uid, rows, cols } of here) {
        const info = await computer.sessions.find(session);
        if (info?.id !== uid || !info.alive) continue;
        const command = running.find((each) => each.computer === name && each.session === session);
        found.push({
          computer: name,
          session,
          uid,
          env,
          rows,
          cols,
          cwd: directories.get(session) ?? info.cwd,
          endOffset: info.endOffset,
          running: command === undefined ? null : (command.command ?? 'a command'),
        });
      }
    }
    return found;
  }
}

function fullMessage(computer: string, { newBytes, free }: CopyAnswer): string {
  const room = free === null ? 'too little' : `${mega(free)} MB`;
  return `The workspace was not copied: the disk of ${computer} has no room for it (${mega(newBytes)} MB are new, ${room} free). Free space there, or exclude what need not be kept.`;
}

const mega = (bytes: number) => Math.ceil(bytes / 1_000_000).toLocaleString('en-US');
