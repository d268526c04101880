import type { StoreWriter } from './commands/table';
import type { StoreNotice } from './notices';
import type { StoreReader } from './queries/table';

export type { StoreReader, StoreWriter };

/**
 * What the engine asks of the store. Two worker threads stand behind it: one writing connection, one for bounded reads. Reads
 * are the rows of `queries/table.ts`, writes those of `commands/table.ts`.
 */
export interface Store {
  readonly folder: string;
  readonly writer: StoreWriter;
  readonly reader: StoreReader;
  /** The workspace came from elsewhere and nobody has trusted it yet: every write is refused. */
  readonly isReadOnly: boolean;
  /**
   * Takes the run's exclusive driver lock; null when another process holds it. Released when the process dies. Nothing is made
   * for a run that is not here, unless it is to be created now (`isNew`); nothing of the lock stays when it was not.
   * @throws WaymarkError not_found, workspace_corrupt
   */
  lockRun(run: string, isNew?: boolean): { epoch: number; release(): void } | null;
  isDriven(run: string): boolean;
  /**
   * Takes the lock of a judge, by its name, so that nobody else pays for the same judgements meanwhile; null when another process
   * holds it. Released when the process dies. @throws WaymarkError read_only
   */
  lockJudge(judge: string): { epoch: number; release(): void } | null;
  /** Whether some process holds that lock, this one included. */
  isAsked(judge: string): boolean;
  /** What others than root can still write on the disk of the workspace; null: the system does not say, as of a folder that is gone. */
  freeBytes(): number | null;
  subscribe(listener: (notice: StoreNotice) => void): () => void;
  /** Resolves when every write asked for so far is durable, and what follows from it is derived. */
  drainWrites(): Promise<void>;
  /** The same, and the search index has caught up, also where another process fills it. */
  drain(): Promise<void>;
  close(): Promise<void>;
}
