import { dirname } from 'node:path';
import { ulid } from 'ulid';
import { openStore } from '../store/threads/client';
import { alice, createRun, RunWriter } from './run-writer';

/**
 * A process that writes and prints what was acknowledged, one JSON line each, until it is killed or its
 * number of steps is reached. Arguments: workspace folder, number of steps, run to go on with or ''.
 */
async function main(): Promise<void> {
  const [, entry = '', folder = '', steps = '1000000', known = ''] = process.argv;
  const store = await openStore(folder, { workerDir: dirname(entry), ballastBytes: 0 });
  const tell = (line: Record<string, unknown>) => process.stdout.write(`${JSON.stringify(line)}\n`);
  const run = known === '' ? await createRun(store) : known;
  const lock = store.lockRun(run);
  if (lock === null) {
    tell({ refused: run });
    await store.close();
    return;
  }
  tell({ run, epoch: lock.epoch });
  const writer = new RunWriter(store, run);
  writer.epoch = lock.epoch;
  writer.step = known === '' ? 0 : (await store.reader.run(run)).steps;
  await writer.start();
  const uid = ulid();
  let offset = 0;
  for (let step = 1; step <= Number(steps); step += 1) {
    await writer.command(`echo ${step}`, `output of ${step} ${'x'.repeat((step * 397) % 3000)}`, {
      exitCode: 0,
    });
    tell({ step: writer.step });
    const bytes = Buffer.from(`line ${step}\r\n`);
    await store.writer.sessionBytes(run, lock.epoch, uid, {
      offset,
      bytes,
      receivedAt: Date.now(),
      hostAt: null,
    });
    offset += bytes.length;
    tell({ session: uid, end: offset });
    if (step % 3 === 0) {
      tell({ hint: await writer.hint(`hint ${step}`) });
    }
    if (step % 2 === 0) {
      const target = { run, from: step, to: step };
      const entry = await store.writer.annotate(alice, target, { op: 'label', value: 'train', reason: null });
      tell({ label: entry.ulid });
    }
    if (step % 7 === 0 && writer.step > 4) {
      // Steps that lie apart: one entry, its label columns renewed bit by bit.
      const parts = Array.from({ length: Math.floor(writer.step / 2) }, (_, index) => ({
        from: index * 2 + 1,
        to: index * 2 + 1,
      }));
      const target = { run, from: 1, to: parts.length * 2 - 1, parts };
      const entry = await store.writer.annotate(alice, target, { op: 'label', value: 'mask', reason: null });
      tell({ label: entry.ulid });
    }
  }
  await store.drain();
  await store.close();
  lock.release();
  tell({ done: true });
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 2;
});
