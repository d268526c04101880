import { writeFileSync } from 'node:fs';

/**
 * Leaves this process's memory out of what the system writes when a process crashes: the core file, or what a service such as
 * systemd-coredump is given, then says where it crashed and holds no page of memory, so no key. What is started from here inherits
 * that; a session's shell has the usual again (`session.bash`). Called by an entry point before it holds a key. Linux has this
 * (core(5)); elsewhere it does nothing: macOS writes none unless somebody asked for it.
 */
export function keepOutOfCoreDumps(): void {
  if (process.platform !== 'linux') return;
  try {
    writeFileSync('/proc/self/coredump_filter', '0');
  } catch (thrown) {
    // A kernel without core dumps, or a /proc that may not be written: then there is nothing to limit, or nobody who may.
    if (!(thrown instanceof Error && 'code' in thrown)) throw thrown;
  }
}
