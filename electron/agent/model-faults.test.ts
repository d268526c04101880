import { describe, expect, it } from 'vitest';
import { createModelClient } from '../model/client';
import { defaultHttpLimits } from '../model/http-fetch';
import type { ScriptedAnswer } from '../model/scripted-answer';
import {
  badJson,
  cutStream,
  emptyReply,
  longReply,
  rateLimited,
  refusal,
  serverError,
  stalled,
  wrongTool,
} from '../model/scripted-faults';
import type { ScriptedPolicy } from '../model/scripted-server';
import { loopStands } from '../testing/loop-stands';
import { finish, put } from '../testing/scripted-answers';
import type { LoopPorts } from './loop-types';

/** Every way a real endpoint misbehaves, over real HTTP, through the loop. */
const { models: open, stand } = loopStands();

const good: ScriptedAnswer = { text: 'I put it there.', calls: [put('a'), put('b')] };
const impatient = (ports: LoopPorts): LoopPorts => ({
  ...ports,
  model: createModelClient(
    { name: 'the model', baseUrl: open.at(-1)?.baseUrl ?? '', key: null },
    { ...defaultHttpLimits, idleMs: 250 },
  ),
});

/** Each request in turn gets one of these; then the good step, then the end. */
const first =
  (...faults: ScriptedAnswer[]): ScriptedPolicy =>
  ({ index, answers }) =>
    faults[index] ?? (answers === 0 ? good : finish);

describe('a step that fails on the way is asked again and done once', () => {
  it.each<[string, ScriptedAnswer, string]>([
    ['429', rateLimited(), 'model_overloaded'],
    ['429 with a time to wait', rateLimited(1), 'model_overloaded'],
    ['500', serverError(), 'model_overloaded'],
    ['529', serverError(529), 'model_overloaded'],
    ['a stall in the middle', stalled(5), 'model_unreachable'],
    ['a cut in the middle of a call', cutStream(6), 'model_unreachable'],
    ['a cut near its end', cutStream(13), 'model_unreachable'],
    ['bad JSON', badJson(), 'model_malformed'],
  ])('%s', async (_name, fault, code) => {
    const run = await stand(first(fault, fault), { wrap: impatient });
    expect(await run.drive()).toBe('finished');
    expect(run.of('model.failed').map((each) => each.code)).toEqual([code, code]);
    expect(run.of('model.requested').map(({ step, attempt }) => [step, attempt])).toEqual([
      [1, 1],
      [1, 2],
      [1, 3],
      [2, 1],
    ]);
    const sent = open[0]?.requests.map(({ raw }) => JSON.parse(raw).messages.length);
    expect(new Set(sent?.slice(0, 3)).size).toBe(1);
    expect(run.of('model.answered').map(({ step }) => step)).toEqual([1, 2]);
    expect(run.tray.items).toEqual(['a', 'b']);
    expect(run.of('action.started').map(({ step, call }) => `${step}.${call}`)).toEqual([
      '1.0',
      '1.1',
      '2.0',
    ]);
    expect(run.unverified()).toBe(0);
  });

  it('waits as long as the endpoint asks', async () => {
    const run = await stand(first(rateLimited(7)));
    await run.drive();
    expect(run.of('model.failed')[0]?.retryInMs).toBeGreaterThanOrEqual(7_000);
  });
});

describe('an answer that is no use is a step, taught, and costs nothing else', () => {
  it.each<[string, ScriptedAnswer, RegExp]>([
    ['nothing at all', emptyReply(), /contained no tool call/u],
    ['a refusal', refusal(), /You declined/u],
    ['a filter', refusal('filter'), /You declined/u],
  ])('%s', async (_name, answer, teaching) => {
    const run = await stand(({ answers }) => [answer, answer, good][answers] ?? finish);
    expect(await run.drive()).toBe('finished');
    expect(run.of('model.failed')).toEqual([]);
    expect(run.of('model.answered').map(({ kind }) => kind)).toEqual(['null', 'null', 'act', 'act']);
    expect(run.of('step.taught').map(({ text }) => teaching.test(text))).toEqual([true, true]);
    expect(run.tray.items).toEqual(['a', 'b']);
    expect(run.unverified()).toBe(0);
  });
});

it('answers a call of a tool that does not exist as it answers any call', async () => {
  const run = await stand(({ answers }) => [wrongTool(), good][answers] ?? finish);
  expect(await run.drive()).toBe('finished');
  expect(run.of('model.answered').map(({ kind }) => kind)).toEqual(['act', 'act', 'act']);
  expect(run.of('step.taught')).toEqual([]);
  expect(run.of('action.observed')[0]?.text).toBe('There is no tool "fly_to_the_moon".');
  expect(run.tray.items).toEqual(['a', 'b']);
  expect(run.unverified()).toBe(0);
});

it('takes an answer of 100,000 tokens in small pieces, and does what it says once', async () => {
  const tokens = 100_000;
  const run = await stand(({ answers }) => (answers === 0 ? longReply(tokens, put('a')) : finish));
  const before = process.memoryUsage().heapUsed;
  expect(await run.drive()).toBe('finished');
  expect(run.of('model.answered')[0]?.text).toHaveLength('word '.length * tokens);
  expect(run.tray.items).toEqual(['a']);
  expect(run.unverified()).toBe(0);
  // The answer is half a megabyte; the log, two requests and the frames hold it a few times over.
  run.frames.length = 0;
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(300 * 1024 * 1024);
});

it('runs parallel calls in the order of the answer, however the endpoint numbers their pieces', async () => {
  const piece = (call: object) =>
    `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [call] } }] })}\n\n`;
  const start = (index: number, item: string) =>
    piece({ index, id: `call_${item}`, function: { name: 'put', arguments: `{"item":` } });
  const end = (index: number, item: string) => piece({ index, function: { arguments: ` "${item}"}` } });
  const body = `${start(3, 'x') + start(1, 'y') + end(1, 'y') + end(3, 'x')}data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n`;
  const run = await stand(({ answers }) => (answers === 0 ? { fault: { kind: 'raw', body } } : finish));
  expect(await run.drive()).toBe('finished');
  expect(run.tray.items).toEqual(['x', 'y']);
  expect(run.of('action.observed').map(({ callId }) => callId)).toEqual(['call_x', 'call_y', 'call_0']);
});
