import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createModelClient, type Price } from '../model/client';
import type { ScriptedAnswer } from '../model/scripted-answer';
import { startScriptedModel } from '../model/scripted-server';
import type { HeldBatch } from '../store/log/judge-batches';
import { begunBatch } from '../testing/begun-batch';
import { eventually } from '../testing/deadline';
import { createdBody, createRun, RunWriter } from '../testing/run-writer';
import { askedTurns, judgeAnswer } from '../testing/scripted-judges';
import { temporaryFolder, testStore } from '../testing/store-fixtures';
import { driveBatch } from './named-batch';
import { readRubrics } from './rubric';

const resources = join(import.meta.dirname, '../../resources');
const STEPS = 60;

/** A batch that is worked on here, one request after the other, and another process on its workspace. */
async function stand(atRequest: (index: number) => Promise<ScriptedAnswer | undefined>) {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  for (let step = 1; step <= STEPS; step += 1) await writer.command('make', 'done', { exitCode: 0 });
  const { run } = writer;
  const asked: number[][] = [];
  const server = await startScriptedModel({
    policy: async (request) => {
      asked.push(askedTurns(request).asked);
      return (await atRequest(request.index)) ?? judgeAnswer(request, () => 'keep');
    },
  });
  onTestFinished(() => server.close());
  const model = { ...createdBody(run).model, baseUrl: server.baseUrl };
  const judge = { name: 'strict', model, rubrics: await readRubrics(resources, null) };
  const held = await begunBatch(store, judge, { runs: [run] });
  // What the process that works on the batch has seen.
  let noticed = false;
  const { stopAsked } = store.reader;
  store.reader.stopAsked = async (of) => {
    const isAsked = await stopAsked(of);
    noticed ||= isAsked;
    return isAsked;
  };
  const drive = (of: HeldBatch = held, price: Price | null = null) =>
    driveBatch(store, of, {
      price,
      model: createModelClient({ name: 'judge', baseUrl: server.baseUrl, key: null }),
      together: 1,
      tries: 3,
      firstPauseMs: 1,
      signal: new AbortController().signal,
    });
  return { store, other: testStore(folder), held, asked, drive, hasNoticed: () => noticed };
}

test('another process ends a batch while an answer is waited for: it is stored, nothing more is sent, and resuming asks for the rest', async () => {
  let answer: () => void = () => undefined;
  const waits = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { store, other, held, asked, drive, hasNoticed } = await stand(async (index) => {
    if (index === 0) await waits;
    return undefined;
  });
  const driven = drive();
  await eventually('the first request is out', () => asked.length === 1);
  await other.writer.stopBatch(held.id);
  await eventually('the other process is heard', hasNoticed, 2_000);
  answer();
  expect(await driven).toMatchObject({ end: { why: 'cancelled' }, counts: { asked: 1, votes: 24 } });
  expect(asked).toHaveLength(1);
  expect(await other.reader.judgeBatch(held.id)).toMatchObject({
    end: { why: 'cancelled' },
    isStopping: false,
  });

  // What came without a price counts at the price that is given now, at the dearer of those for input.
  const { unpriced } = await store.reader.judgeBatch(held.id);
  expect(unpriced.inputTokens).toBeGreaterThan(0);
  const limited = { ...held, epoch: 2 };
  await store.writer.resumeBatch(limited, (1.2 * (unpriced.inputTokens + unpriced.outputTokens)) / 1e6);
  const price = { input: 0.1, cached: 1, output: 1 };
  expect(await drive(limited, price)).toMatchObject({ end: { why: 'cost' }, counts: { asked: 1 } });
  expect(asked).toHaveLength(1);
  const { end } = await store.reader.judgeBatch(held.id);
  expect(end?.spent).toBeCloseTo((unpriced.inputTokens + unpriced.outputTokens) / 1e6, 9);

  const later = { ...held, epoch: 3 };
  await store.writer.resumeBatch(later, 1_000);
  expect(await drive(later, price)).toMatchObject({ end: { why: 'done' }, counts: { votes: STEPS } });
  expect(asked.flat()).toHaveLength(STEPS);
});

test('a batch that waits to try again is ended at once', async () => {
  const fault = { kind: 'status', status: 429, headers: { 'retry-after': '3600' } } as const;
  const { other, held, asked, drive } = await stand(async () => ({ fault }));
  const driven = drive();
  await eventually('the first request is out', () => asked.length === 1);
  await other.writer.stopBatch(held.id);
  expect(await driven).toMatchObject({ end: { why: 'cancelled' }, counts: { asked: 0, votes: 0 } });
  expect(asked).toHaveLength(1);
});

test('who asks before the process begins to listen is heard as well', async () => {
  const { store, held, asked, drive } = await stand(async () => undefined);
  // By the same connection, so that nobody tells of a commit.
  await store.writer.stopBatch(held.id);
  expect(await drive()).toMatchObject({ end: { why: 'cancelled' } });
  expect(asked.length).toBeLessThan(3);
});
