import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { ModelFailure } from '../agent/ports';
import { BoundKey, originOf } from './bound-key';
import { costOf, createModelClient } from './client';
import { defaultHttpLimits } from './http-fetch';
import type { ScriptedAnswer } from './scripted-answer';
import { type ScriptedModel, startScriptedModel } from './scripted-server';
import { testModel } from './test-model';

const open: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function serve(...answers: ScriptedAnswer[]): Promise<ScriptedModel> {
  const server = await startScriptedModel({ policy: ({ index }) => answers[index % answers.length] ?? {} });
  open.push(server);
  return server;
}

const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hé 你好' }] });
const request = { body, sha256: createHash('sha256').update(body).digest('hex') };
const limits = { ...defaultHttpLimits, firstByteMs: 400, idleMs: 400 };

async function ask(baseUrl: string, key: string | null = 'sk-secret', signal = new AbortController().signal) {
  const deltas: { text?: string; reasoning?: string; call?: object }[] = [];
  const bound = key === null ? null : new BoundKey(key, originOf(baseUrl));
  const client = createModelClient({ name: 'the model', baseUrl, key: bound }, limits);
  const result = await client.ask(request, (delta) => deltas.push(delta), signal);
  return { result, deltas };
}

async function failure(...answers: ScriptedAnswer[]): Promise<ModelFailure> {
  const { result } = await ask((await serve(...answers)).baseUrl);
  if (result.ok) throw new Error('expected a failure');
  return result.failure;
}

describe('the model client', () => {
  it('sends exactly the bytes of the request and puts the stream together', async () => {
    const server = await serve({
      reasoning: 'Let me think 思考.',
      text: 'I look. 😀 '.repeat(10),
      calls: [
        { name: 'run', arguments: '{"a":  1}' },
        { name: 'open', arguments: { path: '/x' }, id: 'own' },
      ],
      usage: { input: 100, output: 20, cached: 60 },
    });
    const { result, deltas } = await ask(server.baseUrl);
    expect(result).toEqual({
      ok: true,
      answer: {
        text: 'I look. 😀 '.repeat(10),
        reasoning: 'Let me think 思考.',
        calls: [
          { id: 'call_0', name: 'run', arguments: '{"a":  1}' },
          { id: 'own', name: 'open', arguments: '{"path":"/x"}' },
        ],
        finishReason: 'tool_calls',
        model: 'm',
        usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 60, reasoningTokens: expect.any(Number) },
      },
    });
    expect(server.requests[0]?.raw).toBe(body);
    expect(server.requests[0]?.authorization).toBe('Bearer sk-secret');
    expect(deltas.map(({ text }) => text ?? '').join('')).toBe('I look. 😀 '.repeat(10));
  });

  it('sends no key where there is none', async () => {
    const server = await serve({ text: 'ok' });
    await ask(server.baseUrl, null);
    expect(server.requests[0]?.authorization).toBe('');
  });

  it('reads an endpoint that does not stream', async () => {
    const { result } = await ask((await serve({ text: 'whole', fault: { kind: 'no_stream' } })).baseUrl);
    expect(result).toMatchObject({ ok: true, answer: { text: 'whole', finishReason: 'stop' } });
  });

  it.each<[string, ScriptedAnswer, Partial<ModelFailure>]>([
    ['401', status(401), { code: 'model_rejected', retryable: false, status: 401 }],
    ['403', status(403), { code: 'model_rejected', retryable: false }],
    ['404', status(404), { code: 'model_rejected', retryable: false }],
    ['400', status(400, 'no such parameter'), { code: 'model_rejected', retryable: false }],
    [
      '400 too long',
      status(400, "This model's maximum context length is 8192 tokens"),
      { code: 'context_full', retryable: false },
    ],
    [
      '429',
      status(429, 'slow down', { 'retry-after': '7' }),
      { code: 'model_overloaded', retryable: true, retryAfterMs: 7_000 },
    ],
    [
      '429 no quota',
      status(429, 'You exceeded your current quota'),
      { code: 'model_rejected', retryable: false },
    ],
    ['500', status(500), { code: 'model_overloaded', retryable: true }],
    ['529', status(529, 'overloaded'), { code: 'model_overloaded', retryable: true }],
    [
      '302',
      status(302, 'elsewhere', { location: 'http://127.0.0.1:1/' }),
      { code: 'model_rejected', retryable: false },
    ],
    ['204', status(204), { code: 'model_malformed', retryable: true }],
    ['disconnect', { text: 'x'.repeat(200), fault: { kind: 'disconnect', after: 3 } }, { retryable: true }],
    ['disconnect at once', { fault: { kind: 'disconnect', after: 0 } }, { retryable: true }],
    [
      'truncated',
      { text: 'half', fault: { kind: 'truncate' } },
      { code: 'model_malformed', retryable: true },
    ],
    ['no finish reason', { text: 'half', finishReason: null }, { code: 'model_malformed', retryable: true }],
    ['bad JSON', raw('data: {"choices": [\n\n'), { code: 'model_malformed', retryable: true }],
    ['HTML', raw('<html>gateway</html>', 'text/html'), { code: 'model_malformed', retryable: true }],
    ['JSON that is nothing', raw('[1, 2]', 'application/json'), { code: 'model_malformed', retryable: true }],
    ['not JSON', raw('{', 'application/json'), { code: 'model_malformed', retryable: true }],
    [
      'error document',
      raw('{"error": {"message": "oops"}}', 'application/json'),
      { code: 'model_overloaded', retryable: true },
    ],
    [
      'error chunk',
      { text: 'x', fault: { kind: 'error_chunk', after: 1, error: { code: 429, message: 'busy' } } },
      { code: 'model_overloaded', retryable: true },
    ],
    ['silence', { fault: { kind: 'silence' } }, { code: 'model_unreachable', retryable: true }],
    ['stall', { text: 'x'.repeat(80), pieceMs: 900 }, { code: 'model_unreachable', retryable: true }],
  ])('judges %s', async (_name, script, expected) => {
    expect(await failure(script)).toMatchObject(expected);
  });

  it('judges an address where nobody listens, and a missing key', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => probe.once('listening', resolve));
    const address = probe.address();
    await new Promise((resolve) => probe.close(resolve));
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { result } = await ask(`http://127.0.0.1:${port}/v1`);
    expect(result).toMatchObject({ ok: false, failure: { code: 'model_unreachable', retryable: true } });
    const server = await serve(status(401, 'Ask the desk for one.'));
    expect((await ask(server.baseUrl, null)).result).toMatchObject({
      ok: false,
      failure: {
        code: 'model_key_missing',
        retryable: false,
        // What the endpoint says may name the way to get one.
        message: expect.stringMatching(/asks for a key and none is set.* It says: Ask the desk for one\./),
      },
    });
    expect((await ask('ftp://127.0.0.1/v1')).result).toMatchObject({ ok: false });
    expect((await ask('not an address')).result).toMatchObject({ ok: false });
  });

  it('never repeats the key', async () => {
    const judged = await failure(status(401, 'Wrong key sk-secret, dear sk-secret'));
    expect(judged.message).toContain('[key]');
    expect(judged.message).not.toContain('sk-secret');
  });

  it('is cancelled by its signal, before and within the stream', async () => {
    const server = await serve({ text: 'x'.repeat(400), pieceMs: 20 });
    const aborted = new AbortController();
    aborted.abort(new Error('halt'));
    expect((await ask(server.baseUrl, null, aborted.signal)).result.ok).toBe(false);
    const controller = new AbortController();
    const client = createModelClient({ name: 'm', baseUrl: server.baseUrl, key: null });
    const result = await client.ask(request, () => controller.abort(new Error('halt')), controller.signal);
    expect(result.ok).toBe(false);
  });

  it('numbers calls right where endpoints number them wrongly', async () => {
    const chunk = (call: object) =>
      `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [call] } }] })}\n\n`;
    const text =
      chunk({ index: 0, id: 'a', function: { name: 'one', arguments: '{' } }) +
      chunk({ index: 0, function: { arguments: '}' } }) +
      chunk({ index: 0, id: 'b', function: { name: 'two', arguments: { x: 1 } } }) +
      chunk({ id: 'c', function: { name: 'three', arguments: '' } }) +
      chunk({ function: { arguments: '{}' } }) +
      `data: {"choices":[{"delta":null,"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n`;
    const { result } = await ask((await serve(raw(text))).baseUrl);
    expect(result.ok && result.answer.calls).toEqual([
      { id: 'a', name: 'one', arguments: '{}' },
      { id: 'b', name: 'two', arguments: '{"x":1}' },
      { id: 'c', name: 'three', arguments: '{}' },
    ]);
  });

  it('comes back with a value whatever an endpoint sends', async () => {
    const server = await startScriptedModel({ policy: () => next });
    open.push(server);
    let next: ScriptedAnswer = {};
    const word = fc.constantFrom(
      'choices',
      'delta',
      'tool_calls',
      'function',
      'arguments',
      'index',
      'usage',
      'prompt_tokens',
      'finish_reason',
      'content',
      'error',
      'message',
      'id',
      'name',
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<unknown>(null, 0, -1, 1e300, '', 'x', true, '\ud800'),
        tie('list'),
        tie('map'),
        tie('map'),
      ),
      list: fc.array(tie('tree'), { maxLength: 3 }),
      map: fc.dictionary(word, tie('tree'), { maxKeys: 4 }),
    }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(tree, { maxLength: 4 }),
        fc.constantFrom('text/event-stream', 'application/json', ''),
        async (chunks, contentType) => {
          const stream = chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('');
          next = raw(
            contentType === 'application/json' ? JSON.stringify(chunks[0] ?? null) : stream,
            contentType,
          );
          const { result } = await ask(server.baseUrl);
          expect(typeof result.ok).toBe('boolean');
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('testing a connection', () => {
  it('says whether the model calls tools', async () => {
    const good = await serve({ calls: [{ name: 'report', arguments: { word: 'ready' } }] });
    const signal = new AbortController().signal;
    expect(
      await testModel({ name: 'G', baseUrl: good.baseUrl, key: null, model: 'm' }, signal),
    ).toMatchObject({ ok: true, toolCalls: true });
    const mute = await serve({ text: 'ready' });
    expect(
      await testModel({ name: 'M', baseUrl: mute.baseUrl, key: null, model: 'm' }, signal),
    ).toMatchObject({ ok: true, toolCalls: false });
    const bad = await serve(status(404));
    expect(await testModel({ name: 'B', baseUrl: bad.baseUrl, key: null, model: 'm' }, signal)).toMatchObject(
      { ok: false },
    );
  });
});

it('prices cached tokens apart', () => {
  const usage = { inputTokens: 1_000_000, cachedTokens: 400_000, outputTokens: 100_000, reasoningTokens: 0 };
  expect(costOf(usage, { input: 3, cached: 0.3, output: 15 })).toBeCloseTo(1.8 + 0.12 + 1.5);
  expect(costOf(usage, null)).toBeNull();
  expect(costOf(null, { input: 1, cached: 1, output: 1 })).toBeNull();
});

function status(code: number, message = '', headers: Record<string, string> = {}): ScriptedAnswer {
  return {
    fault: {
      kind: 'status',
      status: code,
      headers,
      body: code === 204 ? '' : JSON.stringify({ error: { message } }),
    },
  };
}

function raw(text: string, contentType = 'text/event-stream'): ScriptedAnswer {
  return { fault: { kind: 'raw', body: text, contentType } };
}
