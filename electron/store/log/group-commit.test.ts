import { WaymarkError } from '@shared/contract/errors';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../file/database';
import { GroupCommit, type Job, StalePreparation } from './group-commit';

/** A store of words, each with a side effect in `prepare` that must not outlive a job that comes to nothing. */
function stand() {
  const db = openDatabase('');
  db.exec('CREATE TABLE word (text TEXT NOT NULL)');
  const hooks = { beforeBegin: (): void => undefined };
  const group = new GroupCommit(db, {
    budgetMs: 15,
    failed: (thrown) => thrown,
    rolledBack: () => undefined,
    beforeBegin: () => hooks.beforeBegin(),
    committed: () => undefined,
  });
  onTestFinished(() => {
    group.close();
    db.close();
  });
  const said: string[] = [];
  const job = (word: string, more: Partial<Job<void>> = {}): Job<void> => ({
    prepare: () => void said.push(`prepare ${word}`),
    run: () => void db.prepare('INSERT INTO word VALUES (?)').run(word),
    abandon: () => void said.push(`abandon ${word}`),
    committed: () => void said.push(`committed ${word}`),
    ...more,
  });
  const words = () => db.prepare('SELECT text FROM word').pluck().all();
  return { group, hooks, job, said, words };
}

const fails = (message: string) => () => {
  throw new WaymarkError('bad_input', message);
};

test('a job whose preparation fails half way is abandoned, and the others are stored', async () => {
  const { group, job, said, words } = stand();
  const prepare = () => {
    said.push('half');
    fails('no')();
  };
  const results = await Promise.allSettled([
    group.add(job('a')),
    group.add(job('b', { prepare })),
    group.add(job('c')),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(said).toEqual(['prepare a', 'half', 'abandon b', 'prepare c', 'committed a', 'committed c']);
  expect(words()).toEqual(['a', 'c']);
});

test('a job that fails in the transaction is abandoned alone', async () => {
  const { group, job, said, words } = stand();
  const results = await Promise.allSettled([
    group.add(job('a')),
    group.add(job('b', { run: fails('no') })),
    group.add(job('c')),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(said.filter((each) => each.startsWith('abandon'))).toEqual(['abandon b']);
  expect(words()).toEqual(['a', 'c']);
});

test('after a job that failed the others are run again with what they had prepared, several failures together', async () => {
  const { group, job, said, words } = stand();
  const counted = (word: string) => {
    const plain = job(word);
    return job(word, {
      run: () => {
        said.push(`run ${word}`);
        plain.run();
      },
    });
  };
  const results = await Promise.allSettled([
    group.add(counted('a')),
    group.add(job('b', { run: fails('no') })),
    group.add(counted('c')),
    group.add(job('d', { run: fails('nor this') })),
    group.add(counted('e')),
  ]);
  expect(results.map(({ status }) => status)).toEqual([
    ...['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
  ]);
  expect(said.filter((each) => each.endsWith(' a'))).toEqual(['prepare a', 'run a', 'run a', 'committed a']);
  expect(said.filter((each) => each.endsWith(' c'))).toEqual(['prepare c', 'run c', 'committed c']);
  expect(said.filter((each) => each.startsWith('abandon'))).toEqual(['abandon b', 'abandon d']);
  expect(words()).toEqual(['a', 'c', 'e']);
});

test('when the transaction cannot begin, everything that was prepared for it is abandoned', async () => {
  const { group, hooks, job, said, words } = stand();
  hooks.beforeBegin = fails('the disk is full');
  const results = await Promise.allSettled([group.add(job('a')), group.add(job('b'))]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(said).toEqual(['prepare a', 'prepare b', 'abandon a', 'abandon b']);
  hooks.beforeBegin = () => undefined;
  await group.add(job('c'));
  expect(words()).toEqual(['c']);
});

test('a job that a full transaction sends back keeps what it prepared, and loses it when its own fails', async () => {
  const { group, hooks, job, said, words } = stand();
  const first = job('a');
  const run = () => {
    first.run();
    said.push('run a');
    for (const full = performance.now() + 20; performance.now() < full; );
    hooks.beforeBegin = fails('the disk is full');
  };
  const [a, b] = await Promise.allSettled([group.add({ ...first, run }), group.add(job('b'))]);
  expect([a?.status, b?.status]).toEqual(['fulfilled', 'rejected']);
  expect(said).toEqual(['prepare a', 'prepare b', 'run a', 'committed a', 'abandon b']);
  expect(words()).toEqual(['a']);
});

test('a stale job is prepared again, alone and among others, and its caller hears only of the end', async () => {
  for (const others of [[], ['x', 'y']]) {
    const { group, job, said, words } = stand();
    let tries = 0;
    const stale = job('a');
    const run = () => {
      stale.run();
      tries += 1;
      if (tries < 3) throw new StalePreparation('conflict', 'Somebody was faster.');
    };
    await Promise.all([group.add({ ...stale, run }), ...others.map((word) => group.add(job(word)))]);
    expect(said.filter((each) => each.endsWith(' a'))).toEqual([
      ...['prepare a', 'abandon a', 'prepare a', 'abandon a', 'prepare a', 'committed a'],
    ]);
    expect(words().sort()).toEqual(['a', ...others]);
  }
});

test('a job that is always too late ends with the reason', async () => {
  const { group, job, said, words } = stand();
  const run = () => {
    throw new StalePreparation('conflict', 'Somebody was faster.');
  };
  await expect(group.add(job('a', { run }))).rejects.toMatchObject({ code: 'conflict' });
  expect(said.filter((each) => each === 'prepare a')).toHaveLength(said.length / 2);
  expect(said.at(-1)).toBe('abandon a');
  expect(words()).toEqual([]);
});
