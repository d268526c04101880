import { afterEach, beforeEach, describe } from 'vitest';
import type { Computer } from '../computer/port';
import { commandCases } from './conformance/commands';
import { fileCases } from './conformance/files';
import { lifeCases } from './conformance/life';
import { stateCases } from './conformance/states';

/** What a suite gets to work with; fresh for every test. */
export interface ConformanceSetup {
  computer: Computer;
  /** An empty directory on that computer, absolute and without symbolic links. */
  workdir: string;
  /** A second port to the same sessions, as another start of the application would make. */
  again(): Promise<Computer>;
  /** Runs on that computer outside any session and returns its standard output. */
  shell(script: string): Promise<string>;
  /** Closes what is left and removes the directory. */
  dispose(): Promise<void>;
}

export interface Bench {
  computer: Computer;
  workdir: string;
  setup: ConformanceSetup;
}

/** What every computer must do, local or over SSH. */
export function computerConformance(name: string, make: () => Promise<ConformanceSetup>): void {
  describe(name, () => {
    let bench: Bench;
    beforeEach(async () => {
      const setup = await make();
      bench = { computer: setup.computer, workdir: setup.workdir, setup };
    });
    afterEach(async () => {
      for (const { name: session } of await bench.computer.sessions.list()) {
        await bench.computer.sessions.close(session);
      }
      await bench.computer.dispose();
      await bench.setup.dispose();
    });
    const get = () => bench;
    commandCases(get);
    stateCases(get);
    lifeCases(get);
    fileCases(get);
  });
}
