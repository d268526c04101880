import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Runs `work` while no other process runs anything under the same lock folder. A lock whose process has
 * died is taken over.
 *
 * @template T
 * @param {string} folder absolute path; its parent must exist
 * @param {{ work: () => Promise<T>, onWait: (pid: number) => void }} options
 * @returns {Promise<T>}
 */
export async function underLock(folder, { work, onWait }) {
  let waited = false;
  while (!take(folder)) {
    const holder = holderOf(folder);
    if (holder === undefined || !isAlive(holder)) {
      rmSync(folder, { recursive: true, force: true });
      continue;
    }
    if (!waited) onWait(holder);
    waited = true;
    await delay(200);
  }
  const release = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.removeListener('exit', release);
    release();
  }
}

function take(folder) {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  writeFileSync(join(folder, 'pid'), String(process.pid));
  return true;
}

/** The process id in the lock; a lock without one is young (just taken), so its owner counts as us for a moment. */
function holderOf(folder) {
  for (let tries = 0; tries < 20; tries += 1) {
    try {
      const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
      if (pid > 0) return pid;
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25);
  }
  return undefined;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
