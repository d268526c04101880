import { WaymarkError } from '@shared/contract/errors';
import { SerialQueue } from './base/serial-queue';
import type { DemoServer } from './demo/demo';
import type { Engine } from './runs/engine';
import type { Store } from './store/api';

/** An open workspace: its store and the engine that drives runs in it. */
export interface Workbench {
  readonly folder: string;
  readonly store: Store;
  readonly engine: Engine;
  readonly demo: DemoServer;
  /** Pauses what is driven, waits for the writer, lets go of everything. */
  close(): Promise<void>;
}

/** Holds the one open workspace of this process; opening another closes the first. */
export class WorkbenchHolder {
  private ownCurrent: Workbench | null = null;
  private ownFailed: string | null = null;
  /** Opening and closing happen one after the other. */
  private readonly turns = new SerialQueue();
  private readonly ownOpen: (folder: string, trusted: boolean) => Promise<Workbench>;

  /** `trusted`: a person has said that it may be worked in, wherever it was made. */
  constructor(open: (folder: string, trusted: boolean) => Promise<Workbench>) {
    this.ownOpen = open;
  }

  get current(): Workbench | null {
    return this.ownCurrent;
  }

  /** The folder that was asked for last and could not be opened; null once one is open. */
  get failed(): string | null {
    return this.ownFailed;
  }

  /** @throws WaymarkError `refused` while no workspace is open. */
  require(): Workbench {
    if (this.ownCurrent) return this.ownCurrent;
    throw new WaymarkError('refused', 'No workspace is open. Open or create one first.');
  }

  /** Refuses while runs are driven here; otherwise closes the open workspace and opens `folder`. */
  open(folder: string): Promise<Workbench> {
    return this.turns.run(async () => {
      const open = this.ownCurrent;
      // One that is only read may be written meanwhile: its disk has room again, or was mounted anew.
      if (open?.folder === folder && !open.store.isReadOnly) return open;
      if (open && open.engine.drivenRuns().length > 0) {
        throw new WaymarkError(
          'refused',
          `Runs are being driven in ${open.folder}. Pause them before you open another workspace.`,
        );
      }
      return this.replace(open, folder, false);
    });
  }

  /** Opens the workspace once more, to be worked in; the one of `folder` only: another may have been opened meanwhile. */
  trust(folder: string): Promise<Workbench> {
    return this.turns.run(async () => {
      const open = this.ownCurrent;
      if (open?.folder !== folder) {
        throw new WaymarkError('refused', `${folder} is not open any more. Open it, and trust it then.`);
      }
      return open.store.isReadOnly ? this.replace(open, folder, true) : open;
    });
  }

  private async replace(open: Workbench | null, folder: string, trusted: boolean): Promise<Workbench> {
    this.ownCurrent = null;
    await open?.close();
    this.ownFailed = folder;
    this.ownCurrent = await this.ownOpen(folder, trusted);
    this.ownFailed = null;
    return this.ownCurrent;
  }

  /** Closes the open workspace, if any. */
  close(): Promise<void> {
    return this.turns.run(async () => {
      const open = this.ownCurrent;
      this.ownCurrent = null;
      await open?.close();
    });
  }

  /** Resolves when nothing is being opened or closed any more; never rejects. */
  async settled(): Promise<void> {
    await this.turns.idle();
  }
}
