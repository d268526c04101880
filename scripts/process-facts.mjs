import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What a process and all below it are doing, for a log that somebody reads when the machine is gone. Linux only.
 *
 * @param {number} root process id
 * @returns {{ pid: number, line: string }[]} parents before their children: state, where the kernel has each thread wait, command
 */
export function processTree(root) {
  const parents = new Map(processes().map((pid) => [pid, parentOf(pid)]));
  const found = [root];
  for (const pid of found)
    for (const [child, parent] of parents) if (parent === pid && !found.includes(child)) found.push(child);
  return found.map((pid) => ({ pid, line: describe(pid) }));
}

function processes() {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

function parentOf(pid) {
  return Number(/^PPid:\s+(\d+)/mu.exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
}

function describe(pid) {
  const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim().slice(0, 120);
  const threads = new Map();
  for (const thread of list(`/proc/${pid}/task`)) {
    const folder = join('/proc', String(pid), 'task', thread);
    const state = /^State:\s+(\S)/mu.exec(read(join(folder, 'status')))?.[1] ?? '?';
    const at = `${read(join(folder, 'comm')).trim()} ${state} ${read(join(folder, 'wchan')) || '-'}`;
    threads.set(at, (threads.get(at) ?? 0) + 1);
  }
  const waits = [...threads].map(([at, count]) => (count === 1 ? at : `${at} ×${count}`));
  return `${pid} ${command}: ${waits.join(', ')}`;
}

/** Empty for what has ended meanwhile. */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function list(path) {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
