import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createHttpFetch, defaultHttpLimits } from './http-fetch';

const open: Server[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

async function serve(answer: (response: ServerResponse, request: IncomingMessage) => void): Promise<string> {
  const server = createServer((request, response) => answer(response, request.resume()));
  open.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const get = createHttpFetch(defaultHttpLimits, null);
const PIECE = Buffer.alloc(256 * 1024, 'a');

/** Once it has been the same for many turns of the event loop. */
async function settled(count: () => number): Promise<number> {
  for (let before = -1; before !== count(); ) {
    before = count();
    for (let turn = 0; turn < 500; turn += 1) await new Promise(setImmediate);
  }
  return count();
}

it('a body is read no faster than it is taken, and comes whole', async () => {
  let sent = 0;
  const url = await serve(async (response) => {
    for (; sent < 128; sent += 1) if (!response.write(PIECE)) await once(response, 'drain');
    response.end();
  });
  const { body } = await get(url);
  const reader = body?.getReader();
  let bytes = (await reader?.read())?.value?.length ?? 0;
  // What the system keeps of it on the way is some megabytes; all of it are 32.
  expect(await settled(() => sent)).toBeLessThan(96);
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
    bytes += next.value.length;
  expect(bytes).toBe(128 * PIECE.length);
});

it('the connection of an answer that was read to its end is used again', async () => {
  const ports = new Set<number | undefined>();
  const url = await serve((response, { socket }) => {
    ports.add(socket.remotePort);
    response.end('Here it is.');
  });
  for (let at = 0; at < 5; at += 1) expect(await (await get(url)).text()).toBe('Here it is.');
  expect(ports.size).toBe(1);
});

it('whoever takes no more of a body closes its connection', async () => {
  let gone: Promise<unknown> | undefined;
  const url = await serve((response) => {
    gone = once(response, 'close');
    response.write(PIECE);
  });
  const { body } = await get(url);
  await body?.cancel();
  await gone;
});

it('a body that breaks off, or is given up, is an error for whoever reads it', async () => {
  const url = await serve((response) => {
    response.writeHead(200, { 'content-length': 2 * PIECE.length });
    response.write(PIECE, () => response.destroy());
  });
  await expect((await get(url)).text()).rejects.toThrow('in the middle of the answer');
  const silent = await serve((response) => response.write('First.'));
  const giveUp = new AbortController();
  const { body } = await get(silent, { signal: giveUp.signal });
  const reader = body?.getReader();
  await reader?.read();
  giveUp.abort(new Error('Nobody waits for it.'));
  await expect(reader?.read()).rejects.toThrow();
});
