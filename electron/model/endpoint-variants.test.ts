import { createHash } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { createModelClient } from './client';
import { defaultHttpLimits } from './http-fetch';
import type { ScriptedAnswer } from './scripted-answer';
import { contextLength, longReply } from './scripted-faults';
import { type ScriptedModel, startScriptedModel } from './scripted-server';

/** How endpoints that all call themselves compatible differ. */
const open: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'x' }] });
const request = { body, sha256: createHash('sha256').update(body).digest('hex') };

async function ask(script: ScriptedAnswer, limits = defaultHttpLimits) {
  const server = await startScriptedModel({ policy: () => script });
  open.push(server);
  const client = createModelClient({ name: 'the model', baseUrl: server.baseUrl, key: null }, limits);
  return client.ask(request, () => undefined, new AbortController().signal);
}

async function answerOf(...chunks: object[]) {
  const result = await ask({
    fault: {
      kind: 'raw',
      body: `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`,
    },
  });
  if (!result.ok) throw new Error(result.failure.message);
  return result.answer;
}

const delta = (given: object) => ({ choices: [{ delta: given, finish_reason: null }] });
const stop = { choices: [{ delta: {}, finish_reason: 'stop' }] };
const used = (usage: object) => ({ choices: [], usage });

it.each<[string, object[], string, string]>([
  ['reasoning_content', [delta({ reasoning_content: 'why' }), delta({ content: 'so' })], 'why', 'so'],
  ['reasoning', [delta({ reasoning: 'why' }), delta({ content: 'so' })], 'why', 'so'],
  [
    'reasoning and its details together',
    [
      delta({ reasoning: 'why', reasoning_details: [{ type: 'reasoning.text', text: 'why' }] }),
      delta({ content: 'so' }),
    ],
    'why',
    'so',
  ],
  [
    'reasoning_details alone',
    [delta({ reasoning_details: [{ type: 'reasoning.summary', summary: 'why' }] }), delta({ content: 'so' })],
    'why',
    'so',
  ],
  [
    'parts of the content',
    [
      delta({
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'why' }] },
          { type: 'text', text: 'so' },
        ],
      }),
    ],
    'why',
    'so',
  ],
  [
    'a block in the text, cut into pieces',
    [delta({ content: '<thi' }), delta({ content: 'nk>\nwhy' }), delta({ content: '\n</think>\n\nso' })],
    'why',
    'so',
  ],
  ['a block that does not end', [delta({ content: '<think>why' })], 'why', ''],
  [
    'a block in the middle, which is text',
    [delta({ content: 'so <think>x</think>' })],
    '',
    'so <think>x</think>',
  ],
])('reads reasoning as %s', async (_name, chunks, reasoning, text) => {
  expect(await answerOf(...chunks, stop)).toMatchObject({ reasoning, text });
});

it.each<[string, object, [number, number, number, number]]>([
  [
    'OpenAI',
    {
      prompt_tokens: 100,
      completion_tokens: 20,
      prompt_tokens_details: { cached_tokens: 60 },
      completion_tokens_details: { reasoning_tokens: 5 },
    },
    [100, 20, 60, 5],
  ],
  [
    'DeepSeek',
    { prompt_tokens: 100, completion_tokens: 20, prompt_cache_hit_tokens: 70, prompt_cache_miss_tokens: 30 },
    [100, 20, 70, 0],
  ],
  [
    'Anthropic',
    { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 80, cache_creation_input_tokens: 5 },
    [95, 20, 80, 0],
  ],
  [
    'a router with both names',
    {
      prompt_tokens: 100,
      completion_tokens: 20,
      cache_read_input_tokens: 80,
      cache_creation_input_tokens: 5,
    },
    [100, 20, 80, 0],
  ],
  [
    'one flat list',
    { prompt_tokens: 100, completion_tokens: 20, cached_tokens: 40, reasoning_tokens: 3 },
    [100, 20, 40, 3],
  ],
  [
    'the names of the newer interface',
    {
      input_tokens: 100,
      output_tokens: 20,
      input_tokens_details: { cached_tokens: 40 },
      output_tokens_details: { reasoning_tokens: 3 },
    },
    [100, 20, 40, 3],
  ],
])('reads the usage of %s', async (_name, usage, [
  inputTokens,
  outputTokens,
  cachedTokens,
  reasoningTokens,
]) => {
  expect((await answerOf(delta({ content: 'x' }), stop, used(usage))).usage).toEqual({
    inputTokens,
    outputTokens,
    cachedTokens,
    reasoningTokens,
  });
});

it('finds usage in the choice, and knows when there is none', async () => {
  const inChoice = {
    choices: [{ delta: {}, finish_reason: 'stop', usage: { prompt_tokens: 7, completion_tokens: 1 } }],
  };
  expect((await answerOf(delta({ content: 'x' }), inChoice)).usage).toMatchObject({ inputTokens: 7 });
  expect((await answerOf(delta({ content: 'x' }), stop, used({ total: 9 }))).usage).toBeNull();
});

it('reads refusals by field and by the words of routers', async () => {
  expect(await answerOf(delta({ refusal: 'I can' }), delta({ refusal: 'not.' }), stop)).toMatchObject({
    text: 'I cannot.',
    finishReason: 'refusal',
  });
  const native = { choices: [{ delta: {}, finish_reason: 'stop', native_finish_reason: 'refusal' }] };
  expect((await answerOf(native)).finishReason).toBe('refusal');
  expect(await ask({ fault: { kind: 'no_stream' }, refusal: 'No.' })).toMatchObject({
    ok: true,
    answer: { text: 'No.', finishReason: 'refusal' },
  });
});

it.each<[string, ScriptedAnswer, object]>([
  ['a prompt that is too long', contextLength(), { code: 'context_full', retryable: false, status: 400 }],
  [
    'a prompt that is too long, said in the stream',
    {
      text: 'x',
      fault: { kind: 'error_chunk', after: 1, error: { message: 'prompt is too long: 9 tokens' } },
    },
    { code: 'context_full', retryable: false },
  ],
  [
    'an answer that may not be so long',
    said(400, 'max_tokens is too large: 8192. This model supports at most 4096 completion tokens.'),
    { code: 'model_rejected', retryable: false },
  ],
  [
    'a prompt and an answer that do not fit together',
    said(
      400,
      "'max_tokens' is too large: 8192. This model's maximum context length is 32768 tokens and your request has 30000 input tokens",
    ),
    { code: 'context_full' },
  ],
  [
    'a filter that stops the prompt',
    said(
      400,
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    ),
    { code: 'model_rejected', retryable: false, message: expect.stringContaining('rules on content') },
  ],
  [
    'a filter that stops the stream',
    {
      text: 'x',
      fault: { kind: 'error_chunk', after: 1, error: { code: 'content_filter', message: 'stopped' } },
    },
    { code: 'model_rejected', retryable: false },
  ],
  [
    'an overload said in the stream',
    {
      text: 'x',
      fault: { kind: 'error_chunk', after: 1, error: { type: 'overloaded_error', message: 'Overloaded' } },
    },
    { code: 'model_overloaded', retryable: true },
  ],
  [
    'an answer that the endpoint itself calls failed',
    { text: 'half', finishReason: 'error' },
    { code: 'model_malformed', retryable: true },
  ],
])('judges %s', async (_name, script, failure) => {
  expect(await ask(script)).toMatchObject({ ok: false, failure });
});

it('gives up on an answer that does not end, before it fills the memory', async () => {
  const endless = longReply(200_000, { name: 'put', arguments: {} });
  const result = await ask(endless, { ...defaultHttpLimits, maxBytes: 1024 * 1024 });
  expect(result).toMatchObject({ ok: false, failure: { code: 'model_malformed' } });
});

function said(status: number, message: string): ScriptedAnswer {
  return { fault: { kind: 'status', status, body: JSON.stringify({ error: { message } }) } };
}
