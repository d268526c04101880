import { afterEach, expect, it } from 'vitest';
import { openStoreInProcess } from '../../store/threads/in-process';
import { EndpointsStand } from '../../testing/endpoints-stand';
import { createRun } from '../../testing/run-writer';
import { temporaryFolder } from '../../testing/store-fixtures';

let stand: EndpointsStand | undefined;
afterEach(async () => {
  await stand?.close();
  stand = undefined;
});

it('a listener of live frames that throws is reported, and the run goes on to its end', async () => {
  stand = await EndpointsStand.open({
    Model: {
      policy: ({ answers }) => ({ calls: [{ name: answers < 2 ? 'think' : 'finish', arguments: {} }] }),
    },
  });
  const heard: string[] = [];
  stand.engine.live.subscribe(() => {
    throw new Error('a broken listener');
  });
  stand.engine.live.subscribe(({ kind }) => heard.push(kind));
  const run = await stand.start('Model');
  await stand.drive(run);
  expect(await stand.store.reader.run(run)).toMatchObject({ state: 'finished', reason: 'finish' });
  expect(heard.length).toBeGreaterThan(0);
  expect(stand.errors.filter((error) => error.includes('a broken listener')).length).toBe(heard.length);
}, 60_000);

it('a listener of the store that throws is reported, and whoever wrote is answered', async () => {
  const thrown: unknown[] = [];
  const store = openStoreInProcess(temporaryFolder(), { listenerFailed: (error) => thrown.push(error) });
  store.subscribe(() => {
    throw new Error('a broken listener');
  });
  const heard: string[] = [];
  store.subscribe(({ kind }) => heard.push(kind));
  await Promise.all([createRun(store), createRun(store)]);
  expect(heard.filter((kind) => kind === 'run')).toHaveLength(2);
  expect(thrown).toHaveLength(heard.length);
  await store.close();
});
