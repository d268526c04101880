import type { ChildProcess } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';

/** Our numbers of every process that lives in the same world of process ids as this one. */
export function processesBeside(pid: number): number[] {
  const space = namespaceOf(String(pid));
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && namespaceOf(name) === space)
    .map(Number);
}

function namespaceOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined; // it ended meanwhile
  }
}

/** Kills it and resolves once it is gone. */
export async function end(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

/** Resolves when the child has written that line; fails with its errors when it ends before. */
export function firstLine(child: ChildProcess, line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let errors = '';
    child.stderr?.on('data', (bytes) => {
      errors = (errors + String(bytes)).slice(-4000);
    });
    child.stdout?.once('data', (bytes) => {
      if (String(bytes).trim() === line) resolve();
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The host did not start (exit ${code}): ${errors}`)));
  });
}

/** A port nobody listens at just now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const place = server.address();
      server.close(() => resolve(typeof place === 'object' && place ? place.port : 0));
    });
  });
}
