import type { Usage } from '@shared/log/event-parts';
import OpenAI from 'openai';
import { Stream } from 'openai/streaming';
import type { ModelPort, ModelRequest } from '../agent/ports';
import type { BoundKey } from './bound-key';
import { classify } from './failure';
import { createHttpFetch, defaultHttpLimits, type HttpLimits } from './http-fetch';
import { AnswerBuilder, MalformedAnswer } from './read-stream';

export interface ModelEndpoint {
  /** As messages call it. */
  name: string;
  /** Up to and including the version, e.g. `http://127.0.0.1:8000/v1`. */
  baseUrl: string;
  /** Null: the endpoint needs none and no Authorization header is sent. */
  key: BoundKey | null;
}

/**
 * Streaming chat completions of any OpenAI-compatible endpoint. The body on the wire is exactly
 * `ModelRequest.body`; retries are the loop's. Every failure comes back as a judged value, never as a throw.
 */
export function createModelClient(
  endpoint: ModelEndpoint,
  limits: HttpLimits = defaultHttpLimits,
): ModelPort {
  const client = new OpenAI({
    baseURL: endpoint.baseUrl,
    // The key joins the request where it is sent, if it may go there at all.
    apiKey: 'none',
    defaultHeaders: { Authorization: null },
    organization: null,
    project: null,
    maxRetries: 0,
    // Our own limits hold; this one only covers the time to the headers and must never come first.
    timeout: 2_000_000_000,
    logLevel: 'off',
    fetch: createHttpFetch(limits, endpoint.key),
  });
  return {
    async ask(request, onDelta, signal) {
      const answer = new AnswerBuilder(onDelta);
      try {
        const response = await post(client, request, signal);
        await readInto(client, answer, response, signal);
        return { ok: true, answer: answer.answer() };
      } catch (error) {
        const { outputTokens } = answer;
        const failure = classify(error, endpoint.name, endpoint.key);
        return { ok: false, failure: outputTokens === 0 ? failure : { ...failure, outputTokens } };
      }
    },
  };
}

function post(client: OpenAI, request: ModelRequest, signal: AbortSignal): Promise<Response> {
  return client
    .post('/chat/completions', {
      body: Buffer.from(request.body, 'utf8'),
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      signal,
    })
    .asResponse();
}

/** An endpoint that does not stream answers with one JSON document: that is read just as well. */
async function readInto(
  client: OpenAI,
  answer: AnswerBuilder,
  response: Response,
  signal: AbortSignal,
): Promise<void> {
  if (response.headers.get('content-type')?.includes('json') === true) {
    const document: unknown = await response.json();
    throwErrorOf(document);
    answer.add(document);
    return;
  }
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    for await (const chunk of Stream.fromSSEResponse<unknown>(response, controller, client)) {
      answer.add(chunk);
    }
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function throwErrorOf(document: unknown): void {
  if (typeof document === 'object' && document !== null && 'error' in document && document.error) {
    throw OpenAI.APIError.generate(502, document, undefined, new Headers());
  }
  if (typeof document !== 'object' || document === null || !('choices' in document)) {
    throw new MalformedAnswer('it is JSON, but no chat completion.');
  }
}

/** Currency units per million tokens; cached input has a price of its own. */
export interface Price {
  input: number;
  cached: number;
  output: number;
}

/** Cost of one answer in the price's currency; null when price or usage is unknown. */
export function costOf(usage: Usage | null, price: Price | null): number | null {
  if (usage === null || price === null) {
    return null;
  }
  const cached = Math.min(usage.cachedTokens, usage.inputTokens);
  const fresh = usage.inputTokens - cached;
  return (fresh * price.input + cached * price.cached + usage.outputTokens * price.output) / 1_000_000;
}

/** The most that so many tokens may cost: nobody knows beforehand what an endpoint has cached, and some take more for that. */
export function mostCostOf(
  { inputTokens, outputTokens }: Pick<Usage, 'inputTokens' | 'outputTokens'>,
  price: Price,
): number {
  return (inputTokens * Math.max(price.input, price.cached) + outputTokens * price.output) / 1_000_000;
}
