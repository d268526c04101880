import { dirname } from 'node:path';
import type { NewEvent } from '@shared/log/events';
import { openStore } from '../store/threads/client';
import { byteAt } from './part-files';

/**
 * A driver that goes on with a session where its stored bytes end, and prints the end after each acknowledged chunk, until it
 * is killed. Arguments: workspace folder, run, session.
 */
async function main([, entry = '', folder = '', run = '', uid = '']: readonly string[]): Promise<void> {
  const store = await openStore(folder, { workerDir: dirname(entry), ballastBytes: 0 });
  const lock = store.lockRun(run);
  if (lock === null) throw new Error('Another process drives the run.');
  const { epoch } = lock;
  const body = { epoch, pid: process.pid, host: 'h', app: '0', runtime: 'node', reason: 'resume' as const };
  const started: NewEvent = { kind: 'driver.started', body };
  await store.writer.append(run, epoch, [started]);
  const { endOffset } = await store.reader.readSession(run, uid, Number.MAX_SAFE_INTEGER, 0);
  for (let end = endOffset; ; ) {
    const next = end + 1 + ((end * 31) % 400);
    const chunk = { offset: end, bytes: byteAt(end, next), receivedAt: Date.now(), hostAt: null };
    await store.writer.sessionBytes(run, epoch, uid, chunk);
    end = next;
    process.stdout.write(`${end}\n`);
  }
}

main(process.argv).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 2;
});
