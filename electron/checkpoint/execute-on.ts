import { homedir } from 'node:os';
import { WaymarkError } from '@shared/contract/errors';
import { isHost } from '../computer/hosts';
import type { Computer } from '../computer/port';
import { runProcess } from '../task/run-process';

/**
 * What a shell command printed, on this machine or on a host. On a host it goes on when nobody waits for it any more, so it
 * must bear that. @throws ComputerUnavailable; WaymarkError cancelled when the signal aborts
 */
export async function executeOn(
  computer: Computer,
  command: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<string> {
  if (!isHost(computer)) {
    const env = { HOME: homedir() };
    return (await runProcess({ command, cwd: '/', env, timeoutMs, signal })).output;
  }
  const cancelled = () => new WaymarkError('cancelled', 'The copying was cancelled.');
  if (signal.aborted) throw cancelled();
  let stop: () => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(cancelled());
    signal.addEventListener('abort', stop, { once: true });
  });
  const asked = computer.exec(command, { cwd: '/', timeoutMs });
  // Whoever stopped waiting does not hear how it ended.
  asked.catch(() => undefined);
  try {
    return (await Promise.race([asked, stopped])).output;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
