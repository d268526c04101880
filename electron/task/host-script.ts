import type { HostComputer } from '../computer/hosts';

/** How long a short script on a host may take, ms. */
const scriptMs = 120_000;

/**
 * Runs a short script outside any session; it may be run again after a broken link, so it must bear that.
 * @throws Error with what it printed when it does not exit with 0; ComputerUnavailable
 */
export async function runScript(
  host: Pick<HostComputer, 'exec'>,
  script: string,
  timeoutMs = scriptMs,
): Promise<string> {
  const { exitCode, output } = await host.exec(script, { timeoutMs });
  if (exitCode === 0) return output;
  const printed = output.trim().split('\n').slice(-3).join(' ');
  throw new Error(
    exitCode === null
      ? `no answer within ${Math.round(timeoutMs / 1000)} s. ${printed}`
      : printed || `exit code ${exitCode}.`,
  );
}
