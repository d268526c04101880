import { expect, test } from 'vitest';
import type { Store } from '../store/api';
import { Reviewers, runOf } from '../testing/review-stand';
import { alice, bob } from '../testing/run-writer';
import { testStore } from '../testing/store-fixtures';
import { parseArguments } from './arguments';
import type { CliContext } from './context';
import { queueCommand } from './queue-commands';

function waymark(store: Store, author = alice) {
  const context = { store, reader: store.reader, author } as unknown as CliContext;
  return async (...argv: string[]) => queueCommand(context, parseArguments(['queue', ...argv]));
}

test('work is handed out as previewed, done, counted and taken back', async () => {
  const store = testStore();
  const people = new Reviewers(store);
  const runs = [await runOf(store, 6, [2]), await runOf(store, 4)];
  const queue = waymark(store);
  await people.label(bob, runs[1] ?? '', 4, 'train');
  await store.drain();
  const order = [...runs.flatMap((run) => ['--run', run]), '--to', 'Alice,Bob,Chen', '--by', 'run'];

  const preview = await queue('assign', ...order, '--overlap', '1', '--blind', '--dry-run');
  expect(preview.json).toMatchObject({ batch: null, plan: { steps: 10, overlapSteps: 10, overlap: 1 } });
  expect(await store.reader.batches()).toEqual([]);

  const { json } = await queue('assign', ...order, '--overlap', '1', '--blind');
  const { batch, entries } = json as { batch: string; entries: number };
  expect(entries).toBe(4);
  const [written] = await store.reader.batches();
  expect(written).toMatchObject({ batch, steps: 10, by: 'Alice' });
  // The preview and what was written say the same of everybody.
  const { plan } = preview.json as {
    plan: { people: { person: { name: string }; first: number; second: number }[] };
  };
  expect(Object.fromEntries(written?.people.map(({ person, steps }) => [person.name, steps]) ?? [])).toEqual(
    Object.fromEntries(plan.people.map(({ person, first, second }) => [person.name, first + second])),
  );
  // Bob is the one who has spoken here, and not another of that name.
  expect(written?.people.map(({ person }) => person.uuid)).toEqual(
    expect.arrayContaining([alice.uuid, bob.uuid, 'name:Chen']),
  );

  const own = plan.people.find(({ person }) => person.name === 'Alice') ?? { first: -1, second: 0 };
  const mine = (await queue()).json as { runs: { total: number; decided: number }[] };
  expect(mine.runs.reduce((sum, { total }) => sum + total, 0)).toBe(own.first + own.second);
  const item = (await waymark(store, bob)('next')).json as { item: { run: string; step: number } };
  await people.label(bob, item.item.run, item.item.step, 'mask');
  await store.drain();
  const { lines } = await queue('people');
  expect(lines.some((line) => line.includes('Bob'))).toBe(true);
  expect((await queue('people', '--format', 'csv')).lines[0]).toContain('kappa');

  expect((await queue('take-back', batch)).json).toEqual({ batch, entries: 4 });
  expect(await store.reader.batches()).toEqual([]);
  await expect(queue('take-back', batch)).rejects.toMatchObject({ code: 'not_found' });
  expect((await store.reader.heads(item.item.run, item.item.step, item.item.step))[0]?.decided).toEqual(
    expect.arrayContaining([bob.uuid]),
  );
});

test('what cannot be handed out is refused by name', async () => {
  const store = testStore();
  const run = await runOf(store, 2);
  const queue = waymark(store);
  await expect(queue('assign', '--to', 'Bob')).rejects.toMatchObject({ code: 'bad_input' });
  await expect(queue('assign', '--run', run)).rejects.toThrow('--to is missing');
  await expect(queue('assign', '--run', run, '--to', 'Bob', '--overlap', '2')).rejects.toThrow('--overlap');
  await expect(queue('assign', '--run', run, '--to', 'Bob', '--overlap', '0.2')).rejects.toThrow(
    'two people',
  );
  await expect(queue('assign', '--run', run, '--to', 'Bob', '--by', 'step')).rejects.toThrow('--by');
  expect(await store.reader.batches()).toEqual([]);
});

test('without any assignment every run waits for whoever asks', async () => {
  const store = testStore();
  const run = await runOf(store, 3, [2]);
  const { json, lines } = await waymark(store)();
  expect(json).toMatchObject({
    runs: [{ run, assigned: false, total: 3, left: { unconfirmed: 1, open: 2 } }],
  });
  expect(lines[1]).toContain('nobody is assigned');
  expect((await waymark(store)('next', run)).json).toMatchObject({ item: { step: 1, class: 'open' } });
  expect((await waymark(store)('next')).json).toMatchObject({ item: { run, step: 1, class: 'open' } });
});
