import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { BoundKey, originOf } from './bound-key';
import { createModelClient } from './client';
import { type ScriptedModel, startScriptedModel } from './scripted-server';

const open: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function serve(location?: string): Promise<ScriptedModel> {
  const fault = { kind: 'status' as const, status: 307, body: '', headers: { location: location ?? '' } };
  const server = await startScriptedModel({
    policy: () => (location === undefined ? { text: 'ok' } : { fault }),
  });
  open.push(server);
  return server;
}

const ask = (baseUrl: string, key: BoundKey) =>
  createModelClient({ name: 'the model', baseUrl, key }).ask(
    { body: '{}', sha256: '' },
    () => undefined,
    new AbortController().signal,
  );

describe('a key', () => {
  it('is not sent to another origin, and neither is the request', async () => {
    const [own, evil] = [await serve(), await serve()];
    const key = new BoundKey('sk-secret', originOf(own.baseUrl));
    expect(await ask(evil.baseUrl, key)).toMatchObject({
      failure: { code: 'endpoint_differs', retryable: false },
    });
    expect(await ask(own.baseUrl, key)).toMatchObject({ ok: true });
    expect(evil.requests).toEqual([]);
    expect(own.requests.map(({ authorization }) => authorization)).toEqual(['Bearer sk-secret']);
  });

  it('does not follow a redirect', async () => {
    const evil = await serve();
    const own = await serve(`${evil.baseUrl}/chat/completions`);
    const answer = await ask(own.baseUrl, new BoundKey('sk-secret', originOf(own.baseUrl)));
    expect(answer).toMatchObject({ failure: { code: 'model_rejected' } });
    expect(evil.requests).toEqual([]);
  });

  it('of no origin goes nowhere, and is not printed by accident', async () => {
    const server = await serve();
    const key = new BoundKey('sk-secret', '');
    expect(await ask(server.baseUrl, key)).toMatchObject({ failure: { code: 'endpoint_differs' } });
    expect(server.requests).toEqual([]);
    for (const text of [JSON.stringify({ key }), String(key), inspect(key, { depth: 9, showHidden: true })])
      expect(text).not.toContain('sk-secret');
  });
});

/** Who may talk to the network over HTTP, and who may write the header of a key. */
const senders = { request: ['electron/model/http-fetch.ts'], header: ['electron/model/bound-key.ts'] };

it('leaves by one way only: no other source sends a request over HTTP or writes such a header', () => {
  const sources = readdirSync('electron', { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.|testing\//.test(path))
    .map((path) => [join('electron', path), readFileSync(join('electron', path), 'utf8')] as const);
  const having = (pattern: RegExp) => sources.filter(([, text]) => pattern.test(text)).map(([path]) => path);
  expect(having(/\bhttps?\)?\.(request|get)\(|(?<![.\w])fetch\(/)).toEqual(senders.request);
  expect(having(/`Bearer |'Bearer |"Bearer /)).toEqual(senders.header);
});
