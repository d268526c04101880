import { once } from 'node:events';
import type http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { estimateTokens } from '@shared/context/tokens';
import type { ScriptedAnswer, ScriptedRequest } from './scripted-server';

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
