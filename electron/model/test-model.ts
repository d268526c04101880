import { createHash } from 'node:crypto';
import type { ModelTest } from '@shared/contract/ipc/application';
import type { ModelEndpoint } from './client';
import { defaultHttpLimits } from './http-fetch';

/**
 * "Test connection": asks for one tool call with a tiny prompt.
 * `firstTokenMs`: to the first piece of text, reasoning or call; null when none came.
 */
export async function testModel(
  endpoint: ModelEndpoint & { model: string },
  signal: AbortSignal,
): Promise<ModelTest> {
  const body = JSON.stringify({
    model: endpoint.model,
    max_tokens: 1_024,
    stream: true,
    tools: [
      {
        type: 'function',
        function: {
          name: 'report',
          description: 'Reports that the connection works.',
          parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
        },
      },
    ],
    messages: [{ role: 'user', content: 'Call the tool "report" with the word "ready". Do nothing else.' }],
  });
  // The client's library takes long to load, and no window and no command line needs it to start.
  const { createModelClient } = await import('./client');
  const client = createModelClient(endpoint, { ...defaultHttpLimits, firstByteMs: 120_000, idleMs: 60_000 });
  const startedAt = performance.now();
  let firstTokenMs: number | null = null;
  const result = await client.ask(
    { body, sha256: createHash('sha256').update(body).digest('hex') },
    () => {
      firstTokenMs ??= Math.round(performance.now() - startedAt);
    },
    signal,
  );
  if (!result.ok) {
    return { ok: false, firstTokenMs, toolCalls: false, message: result.failure.message };
  }
  const toolCalls = result.answer.calls.some(({ name }) => name === 'report');
  return {
    ok: true,
    firstTokenMs,
    toolCalls,
    message: toolCalls
      ? `${endpoint.name} answers and calls tools.`
      : `${endpoint.name} answers, but it did not call the tool it was asked to call. Runs need a model that calls tools.`,
  };
}
