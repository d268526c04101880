import { afterEach, beforeEach, describe } from 'vitest';
import type { SessionLimits } from '../computer/sessions/session-host';
import { boundCases, smallLimits } from './conformance/bounds';
import { commandCases } from './conformance/commands';
import { fileCases } from './conformance/files';
import { lifeCases } from './conformance/life';
import { markCases } from './conformance/marks';
import type { Bench, ConformanceSetup } from './conformance/session-driver';
import { stateCases } from './conformance/states';

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
