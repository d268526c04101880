import { WaymarkError } from '@shared/contract/errors';
import { isHost } from '../computer/hosts';
import type { Computer } from '../computer/port';
import { type CopyAnswer, noteSentence, parseCopyAnswer } from './copy-answer';
import {
  type CopyHelper,
  type CopyOrder,
  type CopySources,
  copyCommand,
  copyHelpers,
  removalCommand,
} from './copy-program';
import { executeOn } from './execute-on';

/** Copying may take as long as a large workspace on a slow disk needs; looking at one may not, ms. */
const copyMs = 6 * 3_600_000;
const lookMs = 10 * 60_000;

export interface WorkspaceCopiesOptions {
  /** The one that holds the workspace. */
  computer: Computer;
  run: string;
  /** Folder of the run's checkpoints on this machine; on a host they lie below the user's state directory. */
  localBase: string;
  sources: CopySources;
  helpers?: readonly CopyHelper[];
}

type Looks = Pick<CopyOrder, 'root' | 'previous' | 'exclude'>;

/**
 * Checkpoints of one run's workspace, on the computer that holds it: nothing of it crosses the link. Asking for the same
 * checkpoint again, after a link broke say, finds it or makes it; a half one never stands under its name.
 * Every method may throw `ComputerUnavailable`, WaymarkError `refused` when the program cannot do its work, and
 * `cancelled` when the signal aborts.
 */
export class WorkspaceCopies {
  constructor(private readonly options: WorkspaceCopiesOptions) {}

  /** What a checkpoint would copy now. */
  size(order: Looks, signal: AbortSignal): Promise<CopyAnswer> {
    return this.ask({ op: 'size', id: '', keep: [], origin: '', ...order }, lookMs, signal);
  }

  /** `status` `made`, or `full` when there is no room: nothing was made then. */
  copy(order: Looks & Pick<CopyOrder, 'id' | 'keep'>, signal: AbortSignal): Promise<CopyAnswer> {
    return this.ask({ op: 'copy', origin: '', ...order }, copyMs, signal);
  }

  /**
   * Makes `root` from a checkpoint. `folder`: as `checkpoint.made` names it, so that a run's checkpoints can be restored by
   * its branches. @throws WaymarkError not_found, refused (damaged, or `root` is in use), disk_full
   */
  async restore(
    { folder, root, origin }: { folder: string; root: string; origin: string },
    signal: AbortSignal,
  ): Promise<CopyAnswer> {
    const at = folder.lastIndexOf('/');
    const place = { base: folder.slice(0, at), id: folder.slice(at + 1) };
    const order = { op: 'restore' as const, root, origin, previous: '', keep: [], exclude: '', ...place };
    const answer = await this.ask(order, copyMs, signal);
    if (answer.status !== 'restored') throw this.refusal(answer, folder, root);
    return answer;
  }

  /** Takes all checkpoints of the run away. */
  async remove(signal: AbortSignal): Promise<void> {
    const { run, computer } = this.options;
    await executeOn(computer, removalCommand({ run, base: this.base() }), lookMs, signal);
  }

  private base(): string | null {
    return isHost(this.options.computer) ? null : this.options.localBase;
  }

  private async ask(
    order: Omit<CopyOrder, 'run' | 'base'> & { base?: string },
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<CopyAnswer> {
    const { run, sources, computer, helpers = copyHelpers } = this.options;
    const command = copyCommand({ base: this.base(), run, ...order }, sources, helpers);
    return parseCopyAnswer(await executeOn(computer, command, timeoutMs, signal), computer.name);
  }

  private refusal(answer: CopyAnswer, folder: string, root: string): WaymarkError {
    const { name } = this.options.computer;
    switch (answer.status) {
      case 'full':
        return new WaymarkError(
          'disk_full',
          `The disk of ${name} has no room for a copy of the workspace (${answer.bytes} bytes). Free space and try again.`,
        );
      case 'missing':
        return new WaymarkError(
          'not_found',
          `The checkpoint ${folder} on ${name} no longer exists. Choose another one.`,
        );
      case 'occupied':
        return new WaymarkError('refused', `The folder ${root} on ${name} is not empty.`);
      default:
        return new WaymarkError(
          'refused',
          `The checkpoint ${folder} on ${name} is damaged: ${noteSentence(answer)} Choose another one.`,
        );
    }
  }
}
