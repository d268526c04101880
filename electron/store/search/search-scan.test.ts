import { checkPattern, patternOf } from '@shared/contract/search/pattern';
import type { ScanHit, ScanNews } from '@shared/contract/search/views';
import type { NewEvent } from '@shared/log/events';
import { expect, inject, test } from 'vitest';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';
import { openStore } from '../threads/client';
import { PatternGivenUp, RegexThread } from './regex-thread';
import type { ScanRequest } from './search-part';

const openTest = () => testStore(temporaryFolder(), { workerDir: inject('storeWorkers') });

/** Everything a scan finds, and its last word. */
async function scanned(store: Store, request: ScanRequest): Promise<{ hits: ScanHit[]; last: ScanNews }> {
  const { scan } = await store.reader.startScan(request);
  const hits: ScanHit[] = [];
  for (;;) {
    const last = await store.reader.scanNews(scan ?? 0, hits.length);
    hits.push(...last.hits);
    if (last.done && hits.length >= Math.min(5000, last.steps + last.lines)) return { hits, last };
  }
}

const stepsOf = (hits: readonly ScanHit[]) =>
  hits.flatMap((hit) => (hit.kind === 'step' ? [hit.hit.step] : []));

const outputs = Array.from({ length: 90 }, (_, index) =>
  [
    `Step ${index}: loss=${(index * 0.37).toFixed(2)}`,
    index % 7 === 0 ? 'RuntimeError: CUDA out' : 'fine',
    '学习',
  ].join('\n'),
);

async function longRun(store: Store): Promise<string> {
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  for (const [index, output] of outputs.entries())
    await writer.command(`run ${index}`, output, { thought: `Thought ${index}` });
  return run;
}

const patterns = [
  '/loss=\\d+\\.3/',
  '/ERROR: cuda/i',
  '/Step 1\\d:/',
  '/学.?习$/',
  '/^fine$/m',
  '/out$\\n/m',
];

test('a pattern finds what a look at every text finds, with and without the index', async () => {
  const store = openTest();
  const run = await longRun(store);
  const texts = outputs.map((output, index) => [
    `Thought ${index}`,
    `run_command\nrun ${index}\nmain`,
    output,
  ]);
  for (const indexed of [false, true]) {
    if (indexed) await store.drain();
    for (const query of [...patterns, '/(?:a|x)yz/', '/x*/']) {
      const { source, flags } = patternOf(query) ?? { source: '', flags: '' };
      const expected = texts.flatMap((list, index) =>
        list.some((text) => (new RegExp(source, flags).exec(text)?.[0] ?? '') !== '') ? [index + 1] : [],
      );
      const { hits, last } = await scanned(store, { run, query });
      expect(stepsOf(hits), query).toEqual(expected);
      expect(last).toMatchObject({
        steps: expected.length,
        lines: 0,
        done: true,
        givenUp: null,
        scanned: last.all,
      });
      for (const hit of hits) if (hit.kind === 'step') expect(hit.hit.snippet).toMatch(/\u0001.+\u0002/s);
    }
  }
});

test('only steps with the words that a match must hold are looked at', async () => {
  const store = openTest();
  const run = await longRun(store);
  await store.drain();
  const { last } = await scanned(store, { run, query: '/Error: CUDA \\w+/' });
  expect(last).toMatchObject({ steps: 13 });
  expect(last.all).toBeLessThan(16);
  expect((await scanned(store, { run, query: '/Err/' })).last.all).toBe(90);
});

test('lines of terminals are found beside steps, by words and by patterns', async () => {
  const store = openTest();
  const run = await longRun(store);
  const opened: NewEvent = {
    kind: 'session.opened',
    body: { computer: 'local', session: 'train', uid: 'u1', rows: 24, cols: 80 },
  };
  await store.writer.append(run, 1, [opened]);
  const bytes = Buffer.from('epoch 1 loss=9.31\nnothing\n\u001b[31mepoch\u001b[0m 2 LOSS\n');
  await store.writer.sessionBytes(run, 1, 'u1', { offset: 0, bytes, receivedAt: 1, hostAt: null });
  const lines = async (query: string) =>
    (await scanned(store, { run, query })).hits.flatMap((hit) =>
      hit.kind === 'line' ? [hit.line.line] : [],
    );
  expect(await lines('epoch loss')).toEqual(['\u0001epoch\u0002 1 loss=9.31', '\u0001epoch\u0002 2 LOSS']);
  expect(await lines('epoch -loss= ')).toEqual(['\u0001epoch\u0002 2 LOSS']);
  expect(await lines('obs:epoch')).toEqual([]);
  expect(await lines('/loss=\\d\\.3/')).toEqual(['epoch 1 \u0001loss=9.3\u00021']);
  const { last } = await scanned(store, { run, query: '/loss=\\d\\.3/' });
  expect(last).toMatchObject({ lines: 1, scannedBytes: bytes.length, allBytes: bytes.length });
  expect(last.steps).toBeGreaterThan(0);
});

test('a pattern that takes for ever is given up, and named; others are answered meanwhile', async () => {
  const store = await openStore(temporaryFolder(), { workerDir: inject('storeWorkers'), ballastBytes: 0 });
  try {
    const run = await createRun(store);
    const writer = new RunWriter(store, run);
    await writer.start();
    await writer.command('first', 'aab');
    await writer.command('second', `${'a'.repeat(60)}!`);
    await writer.command('third', 'needle');
    await store.drain();
    const slow = scanned(store, { run, query: '/(a+)+b/' });
    const quick = await store.reader.search({ run, query: 'needle', from: { hit: 0 }, limit: 1 });
    expect(quick.total).toBe(1);
    const { last } = await slow;
    expect(last).toMatchObject({ done: true, givenUp: { why: 'text', pattern: '(a+)+b', run, step: 2 } });
    // The next one has a thread of its own.
    expect(stepsOf((await scanned(store, { run, query: '/nee.le/' })).hits)).toEqual([3]);
  } finally {
    await store.close();
  }
});

test('a thread is ended for one text or for all together', async () => {
  const file = `${inject('storeWorkers')}/regex-worker.js`;
  const whole = new RegexThread(file, { source: '(x+x+)+y', flags: '' }, { textMs: 60_000, wholeMs: 200 });
  await expect(whole.find(['fine', 'x'.repeat(40)])).rejects.toMatchObject({ why: 'whole' });
  const one = new RegexThread(file, { source: '(x+x+)+y', flags: '' }, { textMs: 200, wholeMs: 60_000 });
  expect(await one.find(['', 'xxy', 'no'])).toEqual([{ index: 1, start: 0, end: 3 }]);
  const thrown = await one.find(['fine', 'x'.repeat(40), 'after']).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(PatternGivenUp);
  expect(thrown).toMatchObject({ why: 'text', index: 1 });
});

test('the newest scan ends the one before, and one that is stopped has no news', async () => {
  const store = openTest();
  const run = await longRun(store);
  const first = await store.reader.startScan({ run, query: '/fine/' });
  const second = await store.reader.startScan({ run, query: '/loss/' });
  await expect(store.reader.scanNews(first.scan ?? 0, 0)).rejects.toMatchObject({ code: 'cancelled' });
  await store.reader.stopScan(second.scan ?? 0);
  await expect(store.reader.scanNews(second.scan ?? 0, 0)).rejects.toMatchObject({ code: 'cancelled' });
});

test('every run of the workspace is looked through; what was purged is not found', async () => {
  const store = openTest();
  const first = await longRun(store);
  const second = await longRun(store);
  await store.drain();
  const runs = async () =>
    new Set((await scanned(store, { run: null, query: '/loss=0\\.00/' })).hits.map(({ run }) => run));
  expect(await runs()).toEqual(new Set([second, first]));
  await store.writer.remove(first, 'text', alice);
  await store.drain();
  expect(await runs()).toEqual(new Set([second]));
  expect((await store.reader.searchWorkspace('loss', 2)).runs.map(({ run }) => run)).toEqual([second]);
  await store.writer.remove(second, 'run', alice);
  await store.drain();
  expect(await runs()).toEqual(new Set());
});

test('a query that is no pattern or a wrong one is told from a right one', () => {
  expect(patternOf('/a+b/i')).toEqual({ source: 'a+b', flags: 'i' });
  expect(patternOf(' /a\\/b[/]/ ')).toEqual({ source: 'a\\/b[/]', flags: '' });
  for (const words of ['/tmp/w/a', '/tmp/w/', '/', '//', 'a/b/', '/open', '/a/1'])
    expect(patternOf(words)).toBeNull();
  const at = (source: string, flags = '') => {
    const problem = checkPattern({ source, flags });
    return problem?.code === 'bad_pattern' ? problem.at : problem;
  };
  expect(at('a(b)')).toBeNull();
  expect(at('a(b)(c')).toBe(4);
  expect(at('ab[cd')).toBe(2);
  expect(at('ab)c')).toBe(2);
  expect(at('a**')).toBe(2);
  expect(at('x[z-a]')).toBe(4);
  expect(at('a\\')).toBe(1);
  expect(at('a', 'gi')).toEqual({ code: 'bad_flag', flag: 'g' });
  expect(at('a', 'ii')).toEqual({ code: 'bad_flag', flag: 'i' });
});
