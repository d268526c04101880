import type { ScriptedAnswer } from './scripted-answer';

/** What real endpoints do instead of answering, by name; for the policies of tests. */

/** 429; `seconds`: what the endpoint asks us to wait, absent = it does not say. */
export function rateLimited(seconds?: number): ScriptedAnswer {
  const headers = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  return failing(
    429,
    { message: 'Rate limit reached. Please slow down.', code: 'rate_limit_exceeded' },
    headers,
  );
}

export function serverError(status = 500): ScriptedAnswer {
  return failing(status, { message: 'The server had an error while processing your request.' });
}

/** Says nothing any more after so many pieces. */
export function stalled(after: number): ScriptedAnswer {
  return { text: 'I was about to say', calls: [HALF_CALL], pieceLength: 4, fault: { kind: 'stall', after } };
}

/** The connection breaks after so many pieces, in the middle of a call. */
export function cutStream(after: number): ScriptedAnswer {
  return { calls: [HALF_CALL], pieceLength: 4, fault: { kind: 'disconnect', after } };
}

/** A stream whose second chunk is no JSON. */
export function badJson(): ScriptedAnswer {
  const good = JSON.stringify({ choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null }] });
  return { fault: { kind: 'raw', body: `data: ${good}\n\ndata: {"choices": [{"delta": \n\n` } };
}

export function wrongTool(): ScriptedAnswer {
  return { text: 'I fly.', calls: [{ name: 'fly_to_the_moon', arguments: { speed: 11 } }] };
}

/** Neither text nor call. */
export function emptyReply(): ScriptedAnswer {
  return {};
}

/** An answer of about so many tokens, in pieces as small as real ones, with a call at its end. */
export function longReply(
  tokens: number,
  call: NonNullable<ScriptedAnswer['calls']>[number],
): ScriptedAnswer {
  return { text: 'word '.repeat(tokens), pieceLength: 5, calls: [call] };
}

/** The endpoint says that the prompt is too long for its model. */
export function contextLength(limit = 8_192): ScriptedAnswer {
  return failing(400, {
    message: `This model's maximum context length is ${limit} tokens. Please reduce the length of the messages.`,
    code: 'context_length_exceeded',
  });
}

/** `field`: in words of its own; `filter`: cut off by the provider's filter. */
export function refusal(kind: 'field' | 'filter' = 'field'): ScriptedAnswer {
  return kind === 'field'
    ? { refusal: "I can't help with that." }
    : { text: 'First, you', finishReason: 'content_filter' };
}

const HALF_CALL = { name: 'put', arguments: { item: 'half of a call that must never be run' } };

function failing(
  status: number,
  error: Record<string, unknown>,
  headers: Record<string, string> = {},
): ScriptedAnswer {
  return { fault: { kind: 'status', status, headers, body: JSON.stringify({ error }) } };
}
