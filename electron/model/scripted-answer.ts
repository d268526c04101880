import { once } from 'node:events';
import type http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { estimateTokens } from '@shared/context/tokens';
import type { ChatMessage } from '@shared/log/chat';

/** One request for a completion as a policy sees it. */
export interface ScriptedRequest {
  /** 0-based count of completion requests this server got. */
  index: number;
  /** Answers already in the context: 0 for the first step of a run. */
  answers: number;
  model: string;
  messages: ChatMessage[];
  /** Names of the offered tools. */
  tools: string[];
  /** The exact body. */
  raw: string;
  /** Value of the Authorization header; empty when none was sent. */
  authorization: string;
}

/** What to say. Everything is optional: an empty script is an answer without text and calls. */
export interface ScriptedAnswer {
  reasoning?: string;
  text?: string;
  /** Sent in the field for refusals instead of the text. */
  refusal?: string;
  calls?: { name: string; arguments: Record<string, unknown> | string; id?: string }[];
  /** Default: `tool_calls` with calls, else `stop`; null leaves it out. */
  finishReason?: string | null;
  /** Default: estimated. Null: none is reported. */
  usage?: { input: number; output: number; cached?: number } | null;
  /** Milliseconds between two pieces of the stream. Default 0. */
  pieceMs?: number;
  /** Characters per piece. Default 24. */
  pieceLength?: number;
  fault?: ScriptedFault;
}

export type ScriptedFault =
  /** Answers with this status instead. `body` is sent as it is. */
  | { kind: 'status'; status: number; body?: string; headers?: Record<string, string> }
  /** Closes the connection after so many pieces of the stream. */
  | { kind: 'disconnect'; after: number }
  /** Ends the stream properly but leaves out finish reason and `[DONE]`. */
  | { kind: 'truncate' }
  /** Sends these bytes as the whole body under the given content type. */
  | { kind: 'raw'; body: string; contentType?: string }
  /** Sends an error as a chunk of the stream after so many pieces. */
  | { kind: 'error_chunk'; after: number; error: Record<string, unknown> }
  /** Says nothing at all until the other side gives up. */
  | { kind: 'silence' }
  /** Says nothing any more after so many pieces, with the connection open. */
  | { kind: 'stall'; after: number }
  /** Answers with one JSON document instead of a stream. */
  | { kind: 'no_stream' };

type Json = Record<string, unknown>;

/** Sends one scripted answer, faults included. Resolves when the response is over. */
export async function sendScript(
  response: http.ServerResponse,
  script: ScriptedAnswer,
  request: ScriptedRequest,
): Promise<void> {
  const { fault } = script;
  switch (fault?.kind) {
    case 'status':
      response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
      response.end(fault.body ?? JSON.stringify({ error: { message: `scripted status ${fault.status}` } }));
      return;
    case 'raw':
      response.writeHead(200, { 'content-type': fault.contentType ?? 'text/event-stream' });
      response.end(fault.body);
      return;
    case 'silence':
      await once(response, 'close');
      return;
    case 'no_stream':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(document(script, request)));
      return;
    default:
      await stream(response, script, request);
  }
}

async function stream(
  response: http.ServerResponse,
  script: ScriptedAnswer,
  request: ScriptedRequest,
): Promise<void> {
  const { fault } = script;
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  // One for the whole answer: a reader that is slow makes the stream wait many times.
  const closed = once(response, 'close').catch(() => undefined);
  const head = {
    id: `scripted-${request.index}`,
    object: 'chat.completion.chunk',
    created: 0,
    model: request.model,
  };
  const send = (body: Json) => response.write(`data: ${JSON.stringify({ ...head, ...body })}\n\n`);
  for (const [index, delta] of deltas(script).entries()) {
    if (fault?.kind === 'disconnect' && index >= fault.after) {
      response.destroy();
      return;
    }
    if (fault?.kind === 'stall' && index >= fault.after) {
      await once(response, 'close');
      return;
    }
    if (fault?.kind === 'error_chunk' && index >= fault.after) {
      response.end(`data: ${JSON.stringify({ error: fault.error })}\n\n`);
      return;
    }
    if (!send({ choices: [{ index: 0, delta, finish_reason: null }] })) {
      await Promise.race([once(response, 'drain'), closed]);
    }
    if (script.pieceMs !== undefined && script.pieceMs > 0) {
      await sleep(script.pieceMs);
    }
    if (response.destroyed) {
      return;
    }
  }
  if (fault?.kind === 'truncate') {
    response.end();
    return;
  }
  const finish = finishOf(script);
  if (finish !== null) {
    send({ choices: [{ index: 0, delta: {}, finish_reason: finish }] });
  }
  const usage = usageOf(script, request);
  if (usage !== null) {
    send({ choices: [], usage });
  }
  response.end('data: [DONE]\n\n');
}

function deltas(script: ScriptedAnswer): Json[] {
  const length = Math.max(1, script.pieceLength ?? 24);
  const out: Json[] = [{ role: 'assistant', content: '' }];
  out.push(...pieces(script.reasoning ?? '', length).map((reasoning_content) => ({ reasoning_content })));
  out.push(...pieces(script.text ?? '', length).map((content) => ({ content })));
  out.push(...pieces(script.refusal ?? '', length).map((refusal) => ({ refusal })));
  for (const [index, call] of (script.calls ?? []).entries()) {
    const id = call.id ?? `call_${index}`;
    out.push({ tool_calls: [{ index, id, type: 'function', function: { name: call.name, arguments: '' } }] });
    out.push(
      ...pieces(argumentsOf(call), length).map((text) => ({
        tool_calls: [{ index, function: { arguments: text } }],
      })),
    );
  }
  return out;
}

/** Never cuts a surrogate pair. */
function pieces(text: string, length: number): string[] {
  const out: string[] = [];
  let piece = '';
  for (const character of text) {
    piece += character;
    if (piece.length >= length) {
      out.push(piece);
      piece = '';
    }
  }
  return piece === '' ? out : [...out, piece];
}

function argumentsOf(call: { arguments: Record<string, unknown> | string }): string {
  return typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
}

function finishOf(script: ScriptedAnswer): string | null {
  return script.finishReason === undefined
    ? (script.calls ?? []).length > 0
      ? 'tool_calls'
      : 'stop'
    : script.finishReason;
}

function usageOf(script: ScriptedAnswer, request: ScriptedRequest): Json | null {
  if (script.usage === null) {
    return null;
  }
  const said =
    (script.reasoning ?? '') + (script.text ?? '') + (script.calls ?? []).map(argumentsOf).join('');
  const { input, output, cached } = script.usage ?? {
    // Servers count an image by its size in pixels, not by its bytes.
    input: estimateTokens(request.raw.replace(/data:image\/[a-z]+;base64,[A-Za-z0-9+/=]*/g, '')),
    output: estimateTokens(said),
    cached: 0,
  };
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached ?? 0 },
    completion_tokens_details: { reasoning_tokens: estimateTokens(script.reasoning ?? '') },
  };
}

function document(script: ScriptedAnswer, request: ScriptedRequest): Json {
  const calls = (script.calls ?? []).map((call, index) => ({
    id: call.id ?? `call_${index}`,
    type: 'function',
    function: { name: call.name, arguments: argumentsOf(call) },
  }));
  const message = {
    role: 'assistant',
    content: script.text ?? null,
    ...(script.refusal === undefined ? {} : { refusal: script.refusal }),
    ...(script.reasoning === undefined ? {} : { reasoning_content: script.reasoning }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  const choices = [{ index: 0, message, finish_reason: finishOf(script) }];
  return {
    id: 'scripted',
    object: 'chat.completion',
    model: request.model,
    choices,
    usage: usageOf(script, request),
  };
}
