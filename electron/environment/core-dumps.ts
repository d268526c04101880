import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

/** Bytes: smaller than any core file, so none is written; and the one limit at which a service gets none either (core(5)). */
const NO_CORE_FILE = 1;

/**
 * Leaves what this process knows out of what the system writes when a process crashes: the core file, or what a service such as
 * systemd-coredump is given. Two settings of Linux, both inherited by what is started from here (core(5)):
 *
 * - The filter leaves out every page of memory. What remains still holds the registers of each thread, and the widest of them
 *   hold 64 bytes of what was last copied, which has been a whole key.
 * - So the limit on core files lets none be written. It is the soft one: a session's shell can raise it again (`ulimit -c`), and
 *   has the usual filter again (`session.bash`).
 *
 * Called by an entry point before it holds a key. Elsewhere it does nothing: macOS writes none unless somebody asked for it.
 */
export function keepOutOfCoreDumps(): void {
  if (process.platform !== 'linux') return;
  try {
    writeFileSync('/proc/self/coredump_filter', '0');
  } catch (thrown) {
    // A kernel without core dumps, or a /proc that may not be written: then there is nothing to limit, or nobody who may.
    if (!(thrown instanceof Error && 'code' in thrown)) throw thrown;
  }
  // Node sets no limits of its own. Where a system is without this program, the filter is what there is.
  spawnSync('prlimit', ['--pid', String(process.pid), `--core=${NO_CORE_FILE}:`], {
    env: { PATH: '/usr/bin:/bin' },
    stdio: 'ignore',
    timeout: 5_000,
  });
}
