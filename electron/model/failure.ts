import { APIConnectionError, APIError } from 'openai';
import type { ModelFailure } from '../agent/ports';
import { type BoundKey, KeyElsewhere } from './bound-key';
import { HttpLimitError } from './http-fetch';
import { MalformedAnswer } from './read-stream';

/** How endpoints say that the prompt is too long; there is no code they agree on. */
const TOO_LONG =
  /context[_ ]?(length|window|size)|maximum context|max_model_len|(prompt|input|request)( is| are)? too (long|large)|too many (input )?tokens|reduce the length|exceeds? .{0,40}(token|context)|longer than the model/iu;

/** An answer may not be as long as was asked for: nothing about the prompt. */
const OUTPUT_TOO_LONG = /at most \d+ (completion|output) tokens/iu;

/** The provider's filter stopped the request, or the answer, for what it is about. */
const FILTERED = /content_filter|content management policy|content policy|responsible_?ai/iu;

const CERTIFICATE = /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ERR_TLS_CERT)/u;

/**
 * Judges what went wrong between us and a model. `endpoint` is how messages call it. The key never stands in a
 * message, even when the server repeats it.
 */
export function classify(thrown: unknown, endpoint: string, key: BoundKey | null): ModelFailure {
  const failure = judge(thrown, endpoint, key !== null);
  const message = key === null ? failure.message : key.hideIn(failure.message);
  return { ...failure, message: message.slice(0, 800) };
}

function judge(thrown: unknown, endpoint: string, hasKey: boolean): ModelFailure {
  const cause = thrown instanceof APIConnectionError ? (thrown.cause ?? thrown) : thrown;
  if (cause instanceof KeyElsewhere) {
    const message = `Nothing was sent to ${endpoint}. ${cause.message}`;
    return { code: 'endpoint_differs', message, status: null, retryable: false, retryAfterMs: null };
  }
  if (cause instanceof MalformedAnswer || cause instanceof SyntaxError) {
    return retry('model_malformed', `${endpoint} sent an answer that cannot be read: ${cause.message}`);
  }
  if (cause instanceof HttpLimitError) {
    const code = cause.limit === 'maxBytes' ? 'model_malformed' : 'model_unreachable';
    return retry(code, `${endpoint} did not answer properly: ${cause.message}`);
  }
  if (thrown instanceof APIError && !(thrown instanceof APIConnectionError)) {
    return ofServer(thrown, endpoint, hasKey);
  }
  return ofNetwork(cause, endpoint);
}

function ofServer(error: APIError, endpoint: string, hasKey: boolean): ModelFailure {
  const status = error.status ?? statusInBody(error);
  const said = saidBy(error);
  const quote = said === '' ? '' : ` It says: ${said}`;
  const retryAfterMs = retryAfter(error.headers);
  const codeAndWords = `${String(error.code ?? '')} ${String(error.type ?? '')} ${said}`;
  if (FILTERED.test(codeAndWords) && (status === null || status < 500)) {
    const message = `${endpoint} refused the request by its rules on content.${quote}`;
    return { ...refuse('model_rejected', message, status ?? 400), status };
  }
  if (
    TOO_LONG.test(codeAndWords) &&
    !OUTPUT_TOO_LONG.test(said) &&
    (status === null || status === 400 || status === 413 || status === 422)
  ) {
    return {
      code: 'context_full',
      message: `The prompt is too long for ${endpoint}.${quote}`,
      status,
      retryable: false,
      retryAfterMs: null,
    };
  }
  if (status === 401 && !hasKey) {
    return refuse(
      'model_key_missing',
      `${endpoint} asks for a key and none is set. Set it in Settings, or in the variable the endpoint names.${quote}`,
      status,
    );
  }
  if (status === 401 || status === 403) {
    return refuse('model_rejected', `${endpoint} refused the key.${quote}`, status);
  }
  if (status === 404) {
    return refuse(
      'model_rejected',
      `${endpoint} does not know this address or model. Check base URL and model name.${quote}`,
      status,
    );
  }
  if (status === 429 && /quota|billing|credit/iu.test(codeAndWords) && retryAfterMs === null) {
    return refuse('model_rejected', `The account at ${endpoint} has no quota left.${quote}`, status);
  }
  if (
    status === null ||
    status === 429 ||
    status === 408 ||
    status === 409 ||
    status === 425 ||
    status >= 500
  ) {
    const what =
      status === 429 ? 'asks us to slow down' : `failed${status === null ? '' : ` with status ${status}`}`;
    return {
      code: 'model_overloaded',
      message: `${endpoint} ${what}.${quote}`,
      status,
      retryable: true,
      retryAfterMs,
    };
  }
  return refuse('model_rejected', `${endpoint} refused the request with status ${status}.${quote}`, status);
}

function ofNetwork(thrown: unknown, endpoint: string): ModelFailure {
  const code = codeOf(thrown);
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (code !== null && CERTIFICATE.test(code)) {
    return {
      ...refuse('model_rejected', `The certificate of ${endpoint} is not trusted (${code}).`, 0),
      status: null,
    };
  }
  return retry(
    'model_unreachable',
    `${endpoint} cannot be reached: ${message}${code !== null && !message.includes(code) ? ` (${code})` : ''}`,
  );
}

function retry(code: ModelFailure['code'], message: string): ModelFailure {
  return { code, message, status: null, retryable: true, retryAfterMs: null };
}

function refuse(code: ModelFailure['code'], message: string, status: number): ModelFailure {
  return { code, message, status, retryable: false, retryAfterMs: null };
}

/** Some routers answer 200 and put the upstream's status into an error chunk. */
function statusInBody(error: APIError): number | null {
  const code = Number(error.code);
  return Number.isInteger(code) && code >= 400 && code <= 599 ? code : null;
}

function saidBy(error: APIError): string {
  const body: unknown = error.error;
  const message = typeof body === 'object' && body !== null && 'message' in body ? body.message : body;
  const said = typeof message === 'string' ? message : error.message;
  return said.replace(/\s+/gu, ' ').trim().slice(0, 500);
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date; ms from now. */
function retryAfter(headers: Headers | undefined): number | null {
  const ms = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) {
    return ms;
  }
  const value = headers?.get('retry-after') ?? null;
  if (value === null || value.trim() === '') {
    return null;
  }
  const seconds = Number(value);
  const wait = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(wait) && wait >= 0 ? Math.round(wait) : null;
}

function codeOf(thrown: unknown): string | null {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : null;
  return typeof code === 'string' ? code : null;
}
