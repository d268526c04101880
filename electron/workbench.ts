import { WaymarkError } from '@shared/errors';
import type { Engine } from './runs/engine';
import type { Store } from './store/api';

/** An open workspace: its store and the engine that drives runs in it. */
export interface Workbench {
  readonly folder: string;
  readonly store: Store;
  readonly engine: Engine;
}

/** Holds the one open workspace of this process; opening another closes the first. */
export class WorkbenchHolder {
  #current: Workbench | null = null;
  readonly #open: (folder: string) => Promise<Workbench>;

  constructor(open: (folder: string) => Promise<Workbench>) {
    this.#open = open;
  }

  get current(): Workbench | null {
    return this.#current;
  }

  /** @throws WaymarkError `refused` while no workspace is open. */
  require(): Workbench {
    if (this.#current) return this.#current;
    throw new WaymarkError('refused', 'No workspace is open. Open or create one first.');
  }

  /** Refuses while runs are driven here; otherwise closes the open workspace and opens `folder`. */
  async open(folder: string): Promise<Workbench> {
    const open = this.#current;
    if (open?.folder === folder) return open;
    if (open && open.engine.drivenRuns().length > 0) {
      throw new WaymarkError(
        'refused',
        `Runs are being driven in ${open.folder}. Pause them before you open another workspace.`,
      );
    }
    await this.close();
    this.#current = await this.#open(folder);
    return this.#current;
  }

  /** Pauses what is driven, waits for the writer, lets go of everything. */
  async close(): Promise<void> {
    const open = this.#current;
    this.#current = null;
    if (!open) return;
    await open.engine.shutdown({ mode: 'pause' });
    await open.store.close();
  }
}
