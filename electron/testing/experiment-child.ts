import { openStoreInProcess } from '../store/threads/in-process';
import { type ExperimentShape, writeExperiment } from './experiment-runs';

/** A process that writes an experiment into a workspace. Arguments: its folder, the shape as JSON. */
async function main(): Promise<void> {
  const [, , folder = '', shape = '{}'] = process.argv;
  const store = openStoreInProcess(folder);
  await writeExperiment(store, JSON.parse(shape) as ExperimentShape);
  await store.close();
}

main().catch((thrown: unknown) => {
  process.stderr.write(`${String(thrown)}\n`);
  process.exitCode = 1;
});
