import { once } from 'node:events';
import http from 'node:http';
import { WaymarkError } from '@shared/contract/errors';
import type { ChatMessage } from '@shared/log/chat';
import { type ScriptedAnswer, type ScriptedRequest, sendScript } from './scripted-answer';

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
