import { closeSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';

/*
 * On Linux every process of the same user may read `/proc/PID/environ`: the block of variables that the process was started
 * with, which no `delete process.env.X` changes. Here it is overwritten in the process's memory. macOS shows it too
 * (`ps -E`) and lets nobody change it: docs/user/models-and-keys.md says so.
 */

/** Where the block lies: fields 50 and 51 of `/proc/PID/stat`. */
const envStart = 50;
/** Name and value of one variable end with this. */
const NUL = 0;

/**
 * Overwrites these variables in the block that this process was started with, and in those of processes that it has started
 * since: they had the same. What is gone meanwhile, or may not be read by us, is read by no other process of this user
 * either. Does nothing but on Linux.
 */
export function eraseInitial(names: readonly string[]): void {
  if (process.platform !== 'linux' || names.length === 0) return;
  eraseIn('self', names);
  for (const pid of descendants(process.pid)) {
    try {
      eraseIn(String(pid), names);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (!['ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'EIO'].includes(code ?? '')) throw error;
    }
  }
}

function eraseIn(pid: string, names: readonly string[]): void {
  const block = readFileSync(`/proc/${pid}/environ`);
  const places = names.flatMap((name) => placesOf(block, name));
  if (places.length === 0) return;
  const base = Number(statFields(pid)[envStart - 1]);
  const memory = openSync(`/proc/${pid}/mem`, 'r+');
  try {
    for (const { from, to } of places) writeSync(memory, Buffer.alloc(to - from), 0, to - from, base + from);
  } finally {
    closeSync(memory);
  }
}

/** Offsets of `NAME=value` in the block. */
function placesOf(block: Buffer, name: string): { from: number; to: number }[] {
  const wanted = Buffer.from(`${name}=`);
  const places: { from: number; to: number }[] = [];
  for (let at = block.indexOf(wanted); at >= 0; at = block.indexOf(wanted, at + 1)) {
    if (at > 0 && block[at - 1] !== NUL) continue;
    const end = block.indexOf(NUL, at);
    places.push({ from: at, to: end < 0 ? block.length : end });
  }
  return places;
}

function descendants(of: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const parent = Number(statFields(entry)[3]);
      children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
    } catch (error) {
      // It ended between the two looks.
      if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
  const found = [...(children.get(of) ?? [])];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found;
}

/** The name in the second field may hold spaces and brackets: what counts begins after its end. */
function statFields(pid: string): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const end = text.lastIndexOf(')');
  return [pid, text.slice(0, end + 1), ...text.slice(end + 2).split(' ')];
}
