import { join } from 'node:path';
import { exportRequestSchema } from '@shared/contract/export-request';
import { defaultSettings } from '@shared/contract/settings';
import { afterEach, expect, inject, test } from 'vitest';
import { FindingsThreads } from '../dataset/jobs/findings-threads';
import { runFindings } from '../dataset/jobs/run-findings';
import { openStoreInProcess } from '../store/threads/in-process';
import { createRun, RunWriter } from '../testing/run-writer';
import { temporaryFolder } from '../testing/store-fixtures';
import { type Workbench, WorkbenchHolder } from '../workbench';
import { redactionHandlers } from './redaction';

const held = 'Zq3WY7G1J1Ow9PsXwgv6/WFxEn+8XrZu2vvos=';
const asked = exportRequestSchema.parse({ undecided: 'train' });

let threads: FindingsThreads | null = null;
afterEach(() => threads?.close());

/** The handlers over a workspace with so many runs, in each of which a held key was printed. */
async function overKeys(runs: number) {
  const folder = join(temporaryFolder(), 'workspace');
  const store = openStoreInProcess(folder, { workerDir: inject('storeWorkers') });
  for (let at = 0; at < runs; at += 1) {
    const writer = new RunWriter(store, await createRun(store));
    await writer.start();
    await writer.command('cat .env', `KEY=${held}\n${'x'.repeat(100_000)}`);
  }
  await store.drain();
  const holder = new WorkbenchHolder(() =>
    Promise.resolve({ folder, store } as Partial<Workbench> as Workbench),
  );
  await holder.open(folder);
  const found = new FindingsThreads(inject('storeWorkers'));
  threads = found;
  const handlers = redactionHandlers({
    holder,
    settings: () => defaultSettings(),
    held: () => [held],
    find: found.run,
  });
  return { handlers, folder, store, found };
}

test('the search for secrets in a thread of its own finds what one in this thread does', async () => {
  const { handlers, folder, store } = await overKeys(3);
  const { annotator, computers } = defaultSettings();
  const task = {
    workspace: folder,
    options: asked,
    sources: { settings: { annotator, computers }, held: [held] },
  };
  const here = await runFindings(task, new AbortController().signal);
  expect(here.findings).toContainEqual(expect.objectContaining({ rule: 'known', count: 3 }));
  expect(await handlers['export.findings'](asked)).toEqual(here);
  await store.close();
});

test('another question ends the search that is under way, and closing ends every one', async () => {
  const { handlers, store, found } = await overKeys(24);
  const failure = (answer: Promise<unknown>) =>
    answer.then(
      () => 'found',
      ({ code }) => code,
    );
  const first = failure(handlers['export.findings'](asked));
  const second = handlers['export.findings']({ ...asked, undecided: 'mask' });
  expect(await first).toBe('cancelled');
  await second;
  const third = failure(handlers['export.findings'](asked));
  await found.close();
  expect(await third).toBe('cancelled');
  await store.close();
});
