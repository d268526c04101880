import { shellQuote } from '../base/shell-quote';
import { isHost } from '../computer/hosts';
import type { Computer } from '../computer/port';
import { decodeSessionName } from '../computer/sessions/layout';
import { executeOn } from './execute-on';

const lookMs = 60_000;

/**
 * Where the shells of a run's sessions stand now, by session name, as far as /proc says; a session that is not named is
 * where it was opened. `localDirectory`: where the sessions of the run lie on this machine. @throws ComputerUnavailable
 */
export async function sessionDirectories(
  computer: Computer,
  localDirectory: string,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const directory = isHost(computer) ? (await computer.probe()).sessionsDir : localDirectory;
  const command = [
    `cd ${shellQuote(directory)} 2>/dev/null || exit 0`,
    'for meta in */meta; do',
    '  pid=$(sed -n "s/^shell=\\([0-9][0-9]*\\)\\$/\\1/p" "$meta" 2>/dev/null)',
    '  [ -n "$pid" ] && at=$(readlink "/proc/$pid/cwd" 2>/dev/null) && echo "waymark-at $(dirname "$meta") $at"',
    'done',
    'exit 0',
  ].join('\n');
  const found = new Map<string, string>();
  for (const line of (await executeOn(computer, command, lookMs, signal)).split('\n')) {
    const [, name, at] = /^waymark-at (\S+) (\/.*)$/.exec(line) ?? [];
    const session = name === undefined ? undefined : decodeSessionName(name);
    // Of a directory that was removed Linux says so behind its path.
    if (session !== undefined && at !== undefined) found.set(session, at.replace(/ \(deleted\)$/, ''));
  }
  return found;
}
