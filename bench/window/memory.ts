import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** Proportional set size of a process and everything it started, MB (10⁶ bytes). Shared pages count by their share. */
export function treeMemory(root: number): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? parentOf(Number(name)) : null;
    if (parent !== null) parents.set(Number(name), parent);
  }
  let kilobytes = 0;
  for (const pid of parents.keys()) {
    if (pid === root || descends(pid, root, parents)) kilobytes += pssOf(pid);
  }
  return (kilobytes * 1024) / 1e6;
}

/** Resident memory of a process from now on: the most it ever had, over what it has now, MB (10⁶ bytes). */
export function watchGrowth(pid: number): () => number {
  // The kernel forgets the peak so far; it keeps the next one itself, so that nothing is missed between two looks.
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const before = resident(pid, 'VmRSS');
  return () => ((resident(pid, 'VmHWM') - before) * 1024) / 1e6;
}

function resident(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(read(`/proc/${pid}/status`))?.[1];
  if (kilobytes === undefined)
    throw new Error(`Process ${pid} is gone, or the kernel does not tell its ${field}.`);
  return Number(kilobytes);
}

function descends(pid: number, root: number, parents: ReadonlyMap<number, number>): boolean {
  let at = parents.get(pid);
  while (at !== undefined && at !== root) at = parents.get(at);
  return at === root;
}

function parentOf(pid: number): number | null {
  const stat = read(`/proc/${pid}/stat`);
  const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
  return parent === undefined ? null : Number(parent);
}

function pssOf(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);
}

/** Empty when the process is gone meanwhile, or is a kernel thread. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ESRCH') return '';
    throw error;
  }
}
