import type { ComputerSpec } from '@shared/contract/task';
import type { FileSystemPort } from '../computer/port';

/**
 * One computer as a place where a run's workspace is prepared. The steps are the same everywhere; how they are done
 * differs between this machine and a distant one. Every method may be called again after it failed or was
 * interrupted. Paths of the workspace are relative to `root`. Distant ones may throw `ComputerUnavailable`.
 */
export interface Site {
  readonly computer: ComputerSpec;
  /** Absolute, on that computer. */
  readonly root: string;
  /** Goes before the ids of its steps; '' for this machine. */
  readonly prefix: string;
  readonly files: Pick<FileSystemPort, 'stat' | 'walk' | 'hash'>;
  /** Makes the root folder. */
  begin(): Promise<void>;
  /** A file or folder of the package; it appears whole or not at all. */
  copy(from: string, to: string): Promise<void>;
  makeFolder(path: string): Promise<void>;
  /** A symbolic link at `to`. @throws Error when `from` cannot be read there */
  link(from: string, to: string): Promise<void>;
  /** Runs one set-up command to its end, with the computer's variables. @throws Error with the end of its output */
  run(line: string, number: number, memory: AttemptMemory): Promise<void>;
  /** Lets go of what the steps needed. */
  finish(): Promise<void>;
}

/** A command that was, or may have been, handed to a session: enough to find it again. */
export interface Attempt {
  session: string;
  command: number;
}

/** What one step remembers over link loss and restarts. */
export interface AttemptMemory {
  read(): Attempt | null;
  /** Durable before it resolves. */
  write(attempt: Attempt | null): Promise<void>;
}
