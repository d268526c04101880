import http from 'node:http';
import https from 'node:https';
import type { BoundKey } from './bound-key';

export interface HttpLimits {
  /** To an open connection, ms. */
  connectMs: number;
  /** From the sent request to the response's headers, ms: a model may think for long before its first byte. */
  firstByteMs: number;
  /** Between two pieces of the body, ms. */
  idleMs: number;
  /** Longest body, bytes. */
  maxBytes: number;
}

export const defaultHttpLimits: HttpLimits = {
  connectMs: 30_000,
  firstByteMs: 15 * 60_000,
  idleMs: 5 * 60_000,
  maxBytes: 64 * 1024 * 1024,
};

/** A time limit or size limit of ours was hit. */
export class HttpLimitError extends Error {
  constructor(
    readonly limit: keyof HttpLimits,
    message: string,
  ) {
    super(message);
    this.name = 'HttpLimitError';
  }
}

/** Headers that anyone looks at; the others never leave this file. */
const KEPT = ['content-type', 'retry-after', 'retry-after-ms', 'x-request-id'];
/** Bytes of a body that may lie here before somebody takes them: fewer than come at once, so that each that is taken shows that somebody reads. */
const READ_AHEAD = 16 * 1024;
const EMPTY_STATUS = new Set([101, 204, 205, 304]);

/**
 * A `fetch` over `node:http(s)` for one endpoint: sends the body bytes it is given, knows no retries, redirects,
 * compression or hidden time limits (the built-in one gives up after five minutes without a byte). `key` is added here and
 * nowhere before, so that each request is looked at once more: one to another origin than the key's is not sent.
 */
export function createHttpFetch(
  limits: HttpLimits,
  key: BoundKey | null,
): (url: string | URL | Request, init?: RequestInit) => Promise<Response> {
  const agents = {
    'http:': new http.Agent({ keepAlive: true, maxSockets: 64 }),
    'https:': new https.Agent({ keepAlive: true, maxSockets: 64 }),
  };
  return (target, init = {}) =>
    new Promise((resolve, reject) => {
      const url = new URL(target instanceof Request ? target.url : target);
      const secure = url.protocol === 'https:';
      if (!secure && url.protocol !== 'http:') {
        reject(new TypeError(`Only http and https addresses can be asked, not ${url.protocol}`));
        return;
      }
      const body = bytesOf(init.body);
      // Throws where the key may not go; the promise is rejected with that, and no connection is opened.
      const authorization = key === null ? {} : { authorization: key.headerFor(url) };
      const request = (secure ? https : http).request(url, {
        method: init.method ?? 'GET',
        agent: secure ? agents['https:'] : agents['http:'],
        headers: {
          ...headersOf(init.headers),
          ...authorization,
          'accept-encoding': 'identity',
          ...(body ? { 'content-length': body.length } : {}),
        },
      });
      const fail = (error: Error) => {
        request.destroy(error);
        reject(error);
      };
      const abort = () => fail(abortError(init.signal));
      const timers = watch(request, limits, fail);
      const settle = () => {
        timers.stop();
        init.signal?.removeEventListener('abort', abort);
      };
      request.on('error', (error) => {
        settle();
        reject(error);
      });
      request.on('response', (response) => {
        timers.stop();
        resolve(toResponse(response, limits, settle));
      });
      if (init.signal?.aborted) {
        abort();
        return;
      }
      init.signal?.addEventListener('abort', abort, { once: true });
      request.end(body ?? undefined);
    });
}

function watch(
  request: http.ClientRequest,
  limits: HttpLimits,
  fail: (error: Error) => void,
): { stop(): void } {
  const late = (limit: 'connectMs' | 'firstByteMs', what: string) =>
    setTimeout(
      () => fail(new HttpLimitError(limit, `${what} within ${Math.round(limits[limit] / 1_000)} s.`)),
      limits[limit],
    );
  let timer = late('connectMs', 'No connection');
  const connected = () => {
    clearTimeout(timer);
    timer = late('firstByteMs', 'No answer');
  };
  request.on('socket', (socket) => {
    if (socket.connecting) {
      socket.once(socket instanceof Object && 'encrypted' in socket ? 'secureConnect' : 'connect', connected);
    } else {
      connected();
    }
  });
  return { stop: () => clearTimeout(timer) };
}

function toResponse(response: http.IncomingMessage, limits: HttpLimits, settle: () => void): Response {
  const status = response.statusCode ?? 0;
  const known = status >= 200 && status <= 599 ? status : 502;
  const headers = new Headers();
  for (const name of KEPT) {
    const value = response.headers[name];
    if (typeof value === 'string') {
      headers.set(name, value);
    }
  }
  if (EMPTY_STATUS.has(known)) {
    response.resume();
    response.once('close', settle);
    return new Response(null, { status: known, headers });
  }
  return new Response(bodyOf(response, limits, settle), { status: known, headers });
}

/** The body within the limits, read no faster than it is taken. `settle` is called once it has ended, however it does. */
function bodyOf(
  response: http.IncomingMessage,
  limits: HttpLimits,
  settle: () => void,
): ReadableStream<Uint8Array> {
  let bytes = 0;
  let isOpen = true;
  let close: (error?: Error) => void = () => undefined;
  const idle = setTimeout(
    () =>
      close(
        new HttpLimitError(
          'idleMs',
          `Nothing came for ${Math.round(limits.idleMs / 1_000)} s in the middle of the answer.`,
        ),
      ),
    limits.idleMs,
  );
  const release = () => {
    isOpen = false;
    clearTimeout(idle);
    settle();
    response.destroy();
  };
  const source = {
    start(controller: ReadableStreamDefaultController<Uint8Array>) {
      close = (error) => {
        if (!isOpen) return;
        release();
        if (error === undefined) controller.close();
        else controller.error(error);
      };
      response.on('data', (chunk: Buffer) => {
        if (!isOpen) return;
        idle.refresh();
        bytes += chunk.length;
        if (bytes > limits.maxBytes) {
          close(new HttpLimitError('maxBytes', `The answer is longer than ${limits.maxBytes} bytes.`));
          return;
        }
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) response.pause();
      });
      response.on('end', () => close());
      response.on('error', close);
      response.on('aborted', () =>
        close(new Error('The server closed the connection in the middle of the answer.')),
      );
    },
    pull() {
      if (isOpen) idle.refresh();
      response.resume();
    },
    cancel: release,
  };
  return new ReadableStream<Uint8Array>(source, new ByteLengthQueuingStrategy({ highWaterMark: READ_AHEAD }));
}

function bytesOf(body: RequestInit['body']): Buffer | null {
  if (body === undefined || body === null) {
    return null;
  }
  if (typeof body === 'string') {
    return Buffer.from(body, 'utf8');
  }
  if (ArrayBuffer.isView(body)) {
    return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  }
  throw new TypeError('Only text and bytes can be sent to a model endpoint.');
}

function headersOf(headers: RequestInit['headers']): Record<string, string> {
  return Object.fromEntries(new Headers(headers));
}

function abortError(signal: AbortSignal | null | undefined): Error {
  return signal?.reason instanceof Error
    ? signal.reason
    : new DOMException('The request was cancelled.', 'AbortError');
}
