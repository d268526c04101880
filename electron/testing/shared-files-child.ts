import { dirname } from 'node:path';
import { openStore } from '../store/threads/client';
import { alice, createRun, RunWriter } from './run-writer';

/**
 * A process that stores a run with a large text, reads it and removes the run before it, and prints a line for each
 * round. The text is the same in every process. Arguments: workspace folder, number of rounds.
 */
async function main(): Promise<void> {
  const [, entry = '', folder = '', rounds = '1'] = process.argv;
  const store = await openStore(folder, { workerDir: dirname(entry), ballastBytes: 0 });
  const text = 'a large file that two runs read '.repeat(10_000);
  let last: string | null = null;
  for (let round = 1; round <= Number(rounds); round += 1) {
    const writer = new RunWriter(store, await createRun(store));
    await writer.start();
    await writer.command('cat large', text, { exitCode: 0 });
    const step = await store.reader.step(writer.run, 1);
    if (step.observations[0]?.text !== text) {
      throw new Error(`The text of run ${writer.run} is not what was stored.`);
    }
    if (last !== null) {
      await store.writer.remove(last, 'run', alice);
    }
    last = writer.run;
    process.stdout.write(`${round}\n`);
  }
  await store.drain();
  await store.close();
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 2;
});
