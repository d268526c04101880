import { WaymarkError } from '@shared/contract/errors';
import { SerialQueue } from './base/serial-queue';
import type { DemoServer } from './demo/demo';
import type { JudgeJobs } from './judging/judge-jobs';
import type { Engine } from './runs/engine';
import type { Store } from './store/api';

/** An open workspace: its store and the engine that drives runs in it. */
export interface Workbench {
  readonly folder: string;
  readonly store: Store;
  readonly engine: Engine;
  readonly demo: DemoServer;
  /** Judges that are asked from here. */
  readonly judging: JudgeJobs;
  /** Pauses what is driven, waits for the writer, lets go of everything. */
  close(): Promise<void>;
}

/** Holds the one open workspace of this process; opening another closes the first. */
export class WorkbenchHolder {
  private bench: Workbench | null = null;
  private failedFolder: string | null = null;
  /** Opening and closing happen one after the other. */
  private readonly turns = new SerialQueue();
  private readonly openFolder: (folder: string, trusted: boolean) => Promise<Workbench>;

  /** `trusted`: a person has said that it may be worked in, wherever it was made. */
  constructor(open: (folder: string, trusted: boolean) => Promise<Workbench>) {
    this.openFolder = open;
  }

  get current(): Workbench | null {
    return this.bench;
  }

  /** The folder that was asked for last and could not be opened; null once one is open. */
  get failed(): string | null {
    return this.failedFolder;
  }

  /** @throws WaymarkError `refused` while no workspace is open. */
  require(): Workbench {
    if (this.bench) return this.bench;
    throw new WaymarkError('refused', 'No workspace is open. Open or create one first.');
  }

  /** Refuses while runs are driven here; otherwise closes the open workspace and opens `folder`. */
  open(folder: string): Promise<Workbench> {
    return this.turns.run(async () => {
      const open = this.bench;
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
      const open = this.bench;
      if (open?.folder !== folder) {
        throw new WaymarkError('refused', `${folder} is not open any more. Open it, and trust it then.`);
      }
      return open.store.isReadOnly ? this.replace(open, folder, true) : open;
    });
  }

  private async replace(open: Workbench | null, folder: string, trusted: boolean): Promise<Workbench> {
    this.bench = null;
    await open?.close();
    this.failedFolder = folder;
    this.bench = await this.openFolder(folder, trusted);
    this.failedFolder = null;
    return this.bench;
  }

  /** Closes the open workspace, if any. */
  close(): Promise<void> {
    return this.turns.run(async () => {
      const open = this.bench;
      this.bench = null;
      await open?.close();
    });
  }

  /** Resolves when nothing is being opened or closed any more; never rejects. */
  async settled(): Promise<void> {
    await this.turns.idle();
  }
}
