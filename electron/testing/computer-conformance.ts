import { afterEach, beforeEach, describe } from 'vitest';
import type { Computer } from '../computer/port';
import type { SessionLimits } from '../computer/sessions/session-host';
import { boundCases, smallLimits } from './conformance/bounds';
import { commandCases } from './conformance/commands';
import { fileCases } from './conformance/files';
import { lifeCases } from './conformance/life';
import { markCases } from './conformance/marks';
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

/**
 * What every computer must do, local or over SSH. `make` gives the computer, and every other port of `again`, these limits
 * of session logs; none: the usual ones. The logs must lie where holes can be made (ext4, xfs, btrfs, tmpfs).
 */
export function computerConformance(
  name: string,
  make: (limits: SessionLimits | undefined) => Promise<ConformanceSetup>,
): void {
  conformance(name, () => make(undefined), [commandCases, stateCases, lifeCases, markCases, fileCases]);
  conformance(`${name}, little room for logs`, () => make(smallLimits), [boundCases]);
}

/** Sixteen sessions on a busy machine. */
const closingMs = 60_000;

type Cases = (bench: () => Bench) => void;

/** Some of it, for another way to the same computer. */
export function conformance(
  name: string,
  make: () => Promise<ConformanceSetup>,
  cases: readonly Cases[],
): void {
  describe(name, () => {
    let bench: Bench;
    beforeEach(async () => {
      const setup = await make();
      bench = { computer: setup.computer, workdir: setup.workdir, setup };
    });
    afterEach(async () => {
      const { sessions } = bench.computer;
      await Promise.all((await sessions.list()).map(({ name: session }) => sessions.close(session)));
      await bench.computer.dispose();
      await bench.setup.dispose();
    }, closingMs);
    for (const define of cases) define(() => bench);
  });
}
