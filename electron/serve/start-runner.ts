import { driverLog } from '../files/workspace-paths';
import { type Driver, type DriverOptions, startDriver } from './start-driver';

interface RunnerOptions extends Pick<DriverOptions, 'entry' | 'folder' | 'keys'> {
  isDriven(run: string): boolean;
  /** A person was asked and agreed that the run goes on without isolation. */
  agreed: boolean;
}

/** Drives a run in a process of its own. @throws WaymarkError its log cannot be made */
export function startRunner(run: string, { isDriven, agreed, ...options }: RunnerOptions): Promise<Driver> {
  return startDriver({
    ...options,
    what: `run ${run}`,
    words: ['run', 'resume', run, '--wait', ...(agreed ? ['--isolation', 'none'] : [])],
    log: driverLog(options.folder, run),
    isTaken: () => isDriven(run),
  });
}
