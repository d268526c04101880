import { once } from 'node:events';
import http from 'node:http';
import { WaymarkError } from '@shared/contract/errors';
import type { ChatMessage } from '@shared/log/chat';
import { sendScript } from './scripted-answer';

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

export type ScriptedPolicy = (request: ScriptedRequest) => ScriptedAnswer | Promise<ScriptedAnswer>;

export interface ScriptedModel {
  /** Base URL, ends in `/v1`. */
  baseUrl: string;
  port: number;
  requests: ScriptedRequest[];
  close(): Promise<void>;
}

export interface ScriptedModelOptions {
  policy: ScriptedPolicy;
  /** Loopback only by default. */
  host?: string;
  /** Default: a free one. */
  port?: number;
  /** Model ids that `/v1/models` lists. */
  models?: string[];
}

/**
 * A model that follows a policy, served over real HTTP: `/v1/chat/completions` as a stream of server-sent events,
 * and `/v1/models`. The demo and the tests use it; it can also misbehave in every way a real endpoint does.
 */
export async function startScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const requests: ScriptedRequest[] = [];
  const models = options.models ?? ['scripted'];
  const server = http.createServer((request, response) => {
    serve(request, response, { policy: options.policy, models, requests }).catch((error: unknown) => {
      if (!response.headersSent) {
        response.writeHead(500, { 'content-type': 'application/json' });
      }
      response.end(
        JSON.stringify({ error: { message: error instanceof Error ? error.message : String(error) } }),
      );
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(options.port ?? 0, options.host ?? '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') {
    throw new WaymarkError('bug', 'The scripted model got no port.');
  }
  return {
    baseUrl: `http://${options.host ?? '127.0.0.1'}:${address.port}/v1`,
    port: address.port,
    requests,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Served {
  policy: ScriptedPolicy;
  models: string[];
  requests: ScriptedRequest[];
}

async function serve(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  served: Served,
): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  if (request.method === 'GET' && path === '/v1/models') {
    const data = served.models.map((id) => ({ id, object: 'model', owned_by: 'scripted' }));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ object: 'list', data }));
    return;
  }
  if (request.method !== 'POST' || path !== '/v1/chat/completions') {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: `No such address: ${path}` } }));
    return;
  }
  const asked = read(await textOf(request), request.headers.authorization ?? '', served.requests.length);
  served.requests.push(asked);
  await sendScript(response, await served.policy(asked), asked);
}

function read(raw: string, authorization: string, index: number): ScriptedRequest {
  const body: { model?: string; messages?: ChatMessage[]; tools?: { function: { name: string } }[] } =
    JSON.parse(raw);
  const messages = body.messages ?? [];
  return {
    index,
    answers: messages.filter(({ role }) => role === 'assistant').length,
    model: body.model ?? '',
    messages,
    tools: (body.tools ?? []).map((tool) => tool.function.name),
    raw,
    authorization,
  };
}

async function textOf(request: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
