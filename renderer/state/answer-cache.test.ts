import { QueryObserver } from '@tanstack/react-query';
import { afterEach, describe, expect, it } from 'vitest';
import { answers, askAhead, forgetAnswers, question, refreshAnswers } from './answer-cache';
import { BridgeStand, settled } from './bridge-fixtures';

const run = (id: string) => ({ run: id });
const ends: (() => void)[] = [];

/** Looks at a question as a component does, and remembers which answers it showed. */
function look(options: ReturnType<typeof question<'queries.list'>>) {
  const observer = new QueryObserver(answers, options);
  const shown: unknown[] = [];
  ends.push(observer.subscribe(({ data }) => shown.push(data?.value)));
  return { observer, last: () => shown.at(-1) };
}

afterEach(() => {
  for (const end of ends.splice(0)) end();
  answers.clear();
});

describe('the cache of answers', () => {
  it('asks the same question of two components once, and another one for itself', async () => {
    const bridge = new BridgeStand({ 'queries.list': ({ run }: { run: string }) => [run] });
    const first = look(question('queries.list', run('A')));
    const second = look(question('queries.list', run('A')));
    const other = look(question('queries.list', run('B')));
    await settled();
    expect(bridge.calls).toEqual([
      ['queries.list', { run: 'A' }],
      ['queries.list', { run: 'B' }],
    ]);
    expect([first.last(), second.last(), other.last()]).toEqual([['A'], ['A'], ['B']]);
  });

  it('gives what was asked ahead to the first who asks the same, once; not after a change or to another person', async () => {
    let version = 0;
    const bridge = new BridgeStand({ 'queries.list': () => [String(++version)] });
    const asked = async () => {
      answers.clear();
      const { last } = look(question('queries.list', run('A')));
      await settled();
      return last();
    };
    await askAhead('queries.list', run('A'));
    await askAhead('queries.list', run('B'));
    expect(bridge.calls).toHaveLength(2);
    expect(await asked()).toEqual(['1']);
    expect(bridge.calls).toHaveLength(2);
    expect(await asked()).toEqual(['3']);
    for (const forget of [() => refreshAnswers('queries.list'), forgetAnswers]) {
      const [old] = await askAhead('queries.list', run('A'));
      forget();
      await settled();
      expect(await asked()).not.toEqual([old]);
    }
  });

  it('asks nothing without an input', async () => {
    const bridge = new BridgeStand({ 'queries.list': () => [] });
    look(question('queries.list', null));
    await settled();
    expect(bridge.calls).toEqual([]);
  });

  it('drops an answer that another question has overtaken', async () => {
    const waiting = new Map<string, (value: string[]) => void>();
    new BridgeStand({
      'queries.list': ({ run }: { run: string }) =>
        new Promise<string[]>((resolve) => waiting.set(run, resolve)),
    });
    const { observer, last } = look(question('queries.list', run('A')));
    observer.setOptions(question('queries.list', run('B')));
    await settled();
    waiting.get('B')?.(['B']);
    await settled();
    waiting.get('A')?.(['A']);
    await settled();
    expect(last()).toEqual(['B']);
  });

  it('asks again what is looked at when it is stale, and keeps the old answer meanwhile', async () => {
    let version = 1;
    const bridge = new BridgeStand({ 'queries.list': () => [version] });
    const { last } = look(question('queries.list', run('A')));
    await settled();
    version = 2;
    refreshAnswers('queries.list');
    expect(last()).toEqual([1]);
    await settled();
    expect(last()).toEqual([2]);
    refreshAnswers('files.list');
    await settled();
    expect(bridge.calls).toHaveLength(2);
  });

  it('shows nothing of before once another person looks', async () => {
    let release: (value: string[]) => void = () => undefined;
    let asked = 0;
    new BridgeStand({
      'queries.list': () => {
        asked += 1;
        return asked === 1 ? ['before'] : new Promise<string[]>((resolve) => (release = resolve));
      },
    });
    const { last } = look(question('queries.list', run('A')));
    await settled();
    expect(last()).toEqual(['before']);
    forgetAnswers();
    await settled();
    expect(last()).toBeUndefined();
    release(['now']);
    await settled();
    expect(last()).toEqual(['now']);
  });

  it('tells a refusal as it was made, without trying again', async () => {
    const bridge = new BridgeStand({});
    const { observer } = look(question('queries.list', run('A')));
    await settled();
    expect(observer.getCurrentResult().error).toMatchObject({ failure: { code: 'not_found' } });
    expect(bridge.calls).toHaveLength(1);
  });
});
