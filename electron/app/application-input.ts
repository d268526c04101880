import type { BrowserWindow } from 'electron';
import type { TakenEnvironment } from '../environment/taken-environment';
import type { StoreThreads } from '../store/threads/store-threads';
import type { WindowOptions } from './window';

/** What is there before the application is loaded. */
export interface ApplicationInput {
  windowOptions: WindowOptions;
  /** The first window, which loads its page meanwhile. */
  window: BrowserWindow;
  /** For the first workspace. */
  threads: StoreThreads;
  data: string;
  argv: readonly string[];
  /** Keys that were given by environment variables, which this process has no more. */
  environment: TakenEnvironment;
}
