import { createdBody, createRun, RunWriter } from './run-writer';
import { temporaryFolder, testStore } from './store-fixtures';

const rubric = { text: 'Keep.', isOwn: true, version: 'steps@1' };

/** A run of three steps in a workspace of its own, and a judge that may be asked about them. */
export async function batchStand(folder = temporaryFolder()) {
  const store = testStore(folder);
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  for (let step = 1; step <= 3; step += 1) await writer.command('make', 'done', { exitCode: 0 });
  const { run } = writer;
  const judge = {
    name: 'strict',
    model: createdBody(run).model,
    rubrics: { steps: rubric, summaries: rubric },
  };
  return { folder, store, run, judge };
}
